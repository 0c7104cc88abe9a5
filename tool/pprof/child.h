/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_CHILD_H
#define WICK_PPROF_CHILD_H

#include <stdint.h>

#include "base/span.h"

struct error;
struct sink;

/* Another program, run to its end. */
struct child {
	const char *const *argv; /* ends with NULL; argv[0] is looked up */
	struct span input;	 /* its standard input */
	int error_fd;		 /* its standard error; -1: ours */
	int third_fd;		 /* its descriptor 3; -1: none */
	int64_t deadline; /* clock_ms() at which it is killed; 0: never */
	uint64_t limit;	  /* of its output; beyond it it is killed */
};

/*
 * Runs it and writes its standard output to out.  Returns its exit status (128
 * and more if a signal ended it), or a negative errno with err set: -ENOENT if
 * there is no such program, -ETIMEDOUT, -EFBIG.
 */
int child_run(const struct child *c, struct sink *out, struct error *err);

/*
 * Starts a program that goes on by itself, with nothing to read and what it
 * prints going to standard error.  Returns its process id or a negative errno.
 */
int child_start(const char *const *argv);

#endif /* WICK_PPROF_CHILD_H */

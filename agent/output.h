/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_OUTPUT_H
#define WICK_AGENT_OUTPUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/capture.h"

/* How a profile is written. */
enum output_format {
	OUTPUT_PPROF,
	OUTPUT_GPERFTOOLS, /* its binary format: addresses only */
};

/* Bytes in memory of their own, from mmap(2). */
struct output {
	void *data;
	size_t size;
};

/* What is wanted of a capture; the worker thread's task. */
struct output_job {
	struct capture *capture; /* NULL: the threads now */
	enum output_format format;
	const char *path; /* where the bytes go; NULL: to output */
	struct output output;
	int result;
	struct output_job *next;
	_Atomic uint32_t done; /* a futex */
};

/*
 * Ends the capture and makes its bytes, in the worker thread, for which the
 * caller waits.  0 or a negative errno; then there are no bytes.
 */
int output_make(struct output_job *job);

/* The same in the thread that calls, which must be one of the agent's. */
void output_run(struct output_job *job);

/* Gives the bytes back. */
void output_release(struct output *o);

/*
 * Writes a file: under another name first, so that nobody sees half of it.
 * 0 or a negative errno.
 */
int output_to_file(const struct output *o, const char *path);
int output_to_fd(const struct output *o, int fd);

/* Starts the worker if it does not run.  Not for signal handlers. */
int output_start(void);

/* Makes the worker look at once; async-signal-safe, but for errno. */
void output_poke(void);

#endif /* WICK_AGENT_OUTPUT_H */

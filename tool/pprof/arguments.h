/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_ARGUMENTS_H
#define WICK_PPROF_ARGUMENTS_H

#include <stdbool.h>

#include "pprof/config.h"

struct error;
struct verb;

/* Old flags that each name a sample type; the first of these wins. */
enum selection {
	SELECT_TOTAL_DELAY,
	SELECT_MEAN_DELAY,
	SELECT_CONTENTIONS,
	SELECT_INUSE_SPACE,
	SELECT_INUSE_OBJECTS,
	SELECT_ALLOC_SPACE,
	SELECT_ALLOC_OBJECTS,
	SELECT_COUNT,
};

/* Files for https; "" where none is given. */
struct tls_files {
	const char *certificate;
	const char *key;
	const char *authority;
};

/*
 * What a command line of "wick pprof" asks for.  Texts are borrowed from it;
 * those that were not given are "".
 */
struct arguments {
	char *const *sources; /* ends with NULL */
	unsigned source_count;
	const char *binary; /* the program, named before the sources */
	const char *base;
	const char *diff_base; /* at most one of the two is given */
	const char *build_id;
	const char *symbolize;
	const char *comment;
	const char *tools;
	const char *http;
	struct tls_files tls;
	int seconds; /* -1: not given */
	int timeout; /* -1: not given */
	bool all_frames;
	bool no_browser;
	bool selected[SELECT_COUNT];
	const struct verb *verb;   /* NULL: the shell, or http */
	const char *verb_argument; /* its regular expression */
	struct config config;
	bool wants_help;  /* the usage is all that is asked for */
	bool wants_usage; /* the line can not be read: show how one looks */
};

/*
 * Reads argv, which ends with NULL and starts behind the command's name.
 * Returns 0, or -EINVAL with err set.  Says on standard error which of
 * several sample types it ignores, as pprof does.
 */
int arguments_parse(struct arguments *a, char *const *argv, struct error *err);

#endif /* WICK_PPROF_ARGUMENTS_H */

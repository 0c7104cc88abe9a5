/* SPDX-License-Identifier: MIT */
/*
 * Files that are there whole or not at all: the bytes go to another name
 * first, and take the real one when all have been written.
 */
#ifndef WICK_PPROF_SAVEFILE_H
#define WICK_PPROF_SAVEFILE_H

#include <limits.h>

#include "base/span.h"

struct error;

/*
 * Writes bytes to path, in place of what is there.  A path that is no regular
 * file (a pipe, /dev/stdout) is written to as it is.  Returns 0 or a negative
 * errno with err set and the old file untouched.
 */
int savefile_write(const char *path, struct span bytes, struct error *err);

/* A file with a number in its name, that no other file has. */
struct numbered {
	const char *folder; /* "": the current one */
	const char *prefix;
	const char *suffix;
	unsigned mode;	     /* its permissions, less those of umask */
	char path[PATH_MAX]; /* what it was called in the end */
};

/*
 * Reserves the first free name, prefix001suffix and so on, with an empty file.
 * Returns 0 with n->path, or a negative errno with err set.
 */
int numbered_reserve(struct numbered *n, struct error *err);

/* The folder for files that another program reads: $TMPDIR or /tmp. */
const char *temporary_folder(void);

/*
 * The folder for profiles that were fetched: $PPROF_TMPDIR, $HOME/pprof or the
 * temporary one, whichever can be made first; says which can not.  Returns
 * path, which has PATH_MAX bytes, or NULL.
 */
const char *saved_folder(char *path);

#endif /* WICK_PPROF_SAVEFILE_H */

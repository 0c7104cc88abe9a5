/* SPDX-License-Identifier: MIT */
/*
 * Files that are there whole or not at all: the bytes go to a file without a
 * name first, which takes the real one when all have been written.  Whatever
 * ends the program before, nothing is left of them.
 */
#ifndef WICK_PPROF_SAVEFILE_H
#define WICK_PPROF_SAVEFILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/span.h"

struct error;

/* A file being written: what is put into fd is its content. */
struct savefile {
	const char *name; /* as it was given; borrowed */
	int fd;
	int target;		  /* to be filled from fd in the end; or -1 */
	bool as_it_is;		  /* no regular file: fd is the real one */
	mode_t mode;		  /* of the file when it is whole */
	char path[PATH_MAX];	  /* its name, links followed */
	char temporary[PATH_MAX]; /* its name until then; "": none */
};

/*
 * Starts to write path, in place of what is there.  A path that is no regular
 * file (a pipe, /dev/stdout) is written to as it is.  Returns 0, and then
 * savefile_commit() or savefile_drop() must follow, or a negative errno with
 * err set.
 */
int savefile_open(struct savefile *f, const char *path, struct error *err);

/*
 * Puts the whole file in its place.  Returns 0 or a negative errno with err set
 * and the old file untouched, as far as that one is written at all: a file in a
 * folder where none can be made is filled only now.
 */
int savefile_commit(struct savefile *f, struct error *err);

/* Leaves the old file as it is. */
void savefile_drop(struct savefile *f);

/*
 * All of it in one go, for bytes that are there already.  Returns 0 or a
 * negative errno with err set and the old file untouched.
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

/* SPDX-License-Identifier: MIT */
/*
 * Command lines as Go programs read them: -x and --x are the same, -x=v or
 * -x v gives a value, booleans take one only behind '=', and the first word
 * that is no flag (or "--") ends them.  Scripts written for pprof depend on
 * it, which is why "wick pprof" does not use the command's own option parser.
 */
#ifndef WICK_PPROF_FLAG_H
#define WICK_PPROF_FLAG_H

#include <stdint.h>

struct error;

/* How a flag's value is written, and what its variable is. */
enum flag_kind {
	FLAG_BOOL,   /* bool */
	FLAG_INT,    /* int */
	FLAG_REAL,   /* double */
	FLAG_TEXT,   /* const char *, borrowed from the command line */
	FLAG_CHOICE, /* const char *, one of a list; not for flags_parse() */
};

struct flag {
	const char *name;
	enum flag_kind kind;
	void *value; /* where it goes; given again, it is overwritten */
};

/*
 * Reads flags from the front of argv, which ends with NULL, into the count
 * variables.  Returns the number of words read, -ENOENT if help was asked for,
 * or -EINVAL with err set, in Go's words; then some values may be stored.
 */
int flags_parse(const struct flag *flags, unsigned count, char *const *argv,
		struct error *err);

#endif /* WICK_PPROF_FLAG_H */

/* SPDX-License-Identifier: MIT */
/* A line of the shell that asks for a report, taken apart. */
#ifndef WICK_PPROF_REQUEST_H
#define WICK_PPROF_REQUEST_H

#include "base/vec.h"
#include "pprof/config.h"

struct arena;
struct error;
struct verb;

/* The words of a line; both belong to an arena. */
struct words {
	VEC(char *) at;
};

/* Splits at white space.  Returns 0 or -ENOMEM. */
int words_split(struct words *w, struct arena *arena, const char *line);

struct request {
	const struct verb *verb;
	const char *argument; /* its regular expression, or NULL */
	struct config config; /* for this report alone */
};

/*
 * Reads "verb [n] [focus] [-ignore] [-cum] [>file]" (top10 is top 10) on top of
 * the options in force.  Texts live in arena.  Returns 0, or -EINVAL with err
 * set, in pprof's words.
 */
int request_parse(struct request *r, const struct words *words,
		  const struct config *config, struct arena *arena,
		  struct error *err);

#endif /* WICK_PPROF_REQUEST_H */

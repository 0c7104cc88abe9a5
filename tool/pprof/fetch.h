/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_FETCH_H
#define WICK_PPROF_FETCH_H

#include "pprof/inputs.h"

struct arguments;
struct error;

/*
 * The profile that a command line asks for, with everything it is made of.
 * Zeroed, it is empty.
 */
struct fetched {
	struct input_set sources;
	struct input_set bases;
	struct held_profile difference; /* of the two */
	struct profile *profile;	/* the one to report on */
};

/*
 * Loads the sources and the base, subtracts, symbolizes, drops frames that the
 * profile calls uninteresting, adds the comment; and saves the result if a
 * server sent any of it.  Returns 0, or a negative errno with err set; release
 * it in either case.
 */
int fetch(struct fetched *f, const struct arguments *a, struct error *err);

void fetched_release(struct fetched *f);

#endif /* WICK_PPROF_FETCH_H */

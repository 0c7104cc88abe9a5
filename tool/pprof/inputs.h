/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_INPUTS_H
#define WICK_PPROF_INPUTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "pprof/origin.h"
#include "profile/profile.h"

struct arguments;
struct error;
struct input;

/* A profile together with the memory it lives in; it must not move. */
struct held_profile {
	struct arena arena;
	struct profile profile;
};

/*
 * Several sources that are added up: those of the command line, or the base.
 * Zeroed, it is empty.
 */
struct input_set {
	struct arena arena; /* of the tables below */
	struct input *sources;
	unsigned count;
	unsigned loaded; /* how many could be */
	struct origins origins;
	struct profile *profile;     /* the sum; NULL: none could be loaded */
	struct held_profile *merged; /* where it is, if it was merged */
	bool remote;		     /* a server sent any */
};

/*
 * Loads the sources called names, all at the same time, and adds them up.
 * Says what is wrong with each that can not be loaded, unless it is the only
 * one: then that is the error.  Returns 0 with profile set if any could be, or
 * a negative errno with err set.
 */
int input_set_load(struct input_set *set, const struct arguments *a,
		   const char *const *names, unsigned count, struct error *err);

void input_set_release(struct input_set *set);

/*
 * Adds up profiles, making their types compatible first, in out, which is
 * empty.  With a single one out stays so.  Returns 0 with the sum, or a
 * negative errno with err set.
 */
int profiles_combine(struct profile *const *profiles, unsigned count,
		     struct held_profile *out, struct profile **ret,
		     struct error *err);

#endif /* WICK_PPROF_INPUTS_H */

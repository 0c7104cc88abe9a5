/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_INPUT_H
#define WICK_PPROF_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "pprof/url.h"
#include "profile/profile.h"

struct arguments;

/*
 * Where one profile comes from, and the profile.  A source and its arenas are
 * one thread's while it is loaded.  It must not move: the profile points into
 * it.
 */
struct input {
	const char *name; /* as the user wrote it; borrowed */
	struct arena arena;
	struct profile profile;
	bool remote; /* a server answered */
	struct url url;
	const char *url_text;
	struct arena url_arena; /* lives longer than the profile */
	int result;		/* of input_load() */
	struct error err;
};

/*
 * The address that name means, with -seconds in it, and how long to wait for
 * an answer, in seconds.  Returns 0, or a negative errno with err set: -EINVAL
 * if it means none.
 */
int input_address(const struct arguments *a, const char *name,
		  struct arena *arena, struct url *ret, int64_t *ret_timeout,
		  struct error *err);

/*
 * Gets the profile: from a file, from standard input if the name is "-", else
 * from a server, saying so.  Gives it a mapping if it has none, and the
 * program and build id of the command line.  Sets result and err.
 */
void input_load(struct input *s, const struct arguments *a);

/* Forgets the profile; the address stays. */
void input_drop_profile(struct input *s);

/* Forgets everything. */
void input_release(struct input *s);

#endif /* WICK_PPROF_INPUT_H */

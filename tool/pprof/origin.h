/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_ORIGIN_H
#define WICK_PPROF_ORIGIN_H

#include <stdint.h>

#include "base/vec.h"
#include "pprof/url.h"

struct profile;
struct input;

/* A server that a mapping's addresses came from, so that it can name them. */
struct origin {
	const char *key; /* the mapping's build id, else its file */
	const struct url *url;
	uint64_t start; /* where the mapping was in that server */
};

/* Those of all sources.  Texts belong to arena, addresses to the sources. */
struct origins {
	struct arena *arena;
	VEC(struct origin) rows;
};

/*
 * Adds the mappings of a source that a server sent.  One without build id and
 * file gets the address as its file, so that it is found again after merging;
 * origins_forget() undoes that.  Returns 0 or -ENOMEM.
 */
int origins_add(struct origins *o, struct input *s);

/* Empties the file of each mapping without build id whose file is an address.
 */
void origins_forget(struct profile *p);

#endif /* WICK_PPROF_ORIGIN_H */

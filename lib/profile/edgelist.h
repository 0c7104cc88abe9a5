/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_EDGELIST_H
#define WICK_PROFILE_EDGELIST_H

#include <stdint.h>

struct arena;
struct edgetab;
struct graph;

/*
 * Makes the edges of g those of a table between so many nodes, in the order of
 * the nodes they come from and then of those they go to.  The memory is
 * arena's.  Returns 0 or -ENOMEM.
 */
int edgelist_make(struct graph *g, const struct edgetab *t, uint32_t nodes,
		  struct arena *arena);

#endif /* WICK_PROFILE_EDGELIST_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_EDGELIST_H
#define WICK_PROFILE_EDGELIST_H

#include <stdint.h>

struct arena;
struct edgetab;
struct graph;
struct graph_pacer;
struct workers;

/* The tables that hold the edges between nodes; each edge may be in several. */
struct edgelist_request {
	const struct edgetab **tables;
	unsigned table_count;
	uint32_t nodes;
	const struct workers *workers;	 /* NULL: none to spare */
	const struct graph_pacer *pacer; /* NULL: as fast as it goes */
};

/*
 * Makes the edges of g what all tables add up to, in the order of the nodes
 * they come from and then of those they go to.  The memory is arena's.  Returns
 * 0 or -ENOMEM, or -ECANCELED when it was told to stop.
 */
int edgelist_make(struct graph *g, const struct edgelist_request *q,
		  struct arena *arena);

#endif /* WICK_PROFILE_EDGELIST_H */

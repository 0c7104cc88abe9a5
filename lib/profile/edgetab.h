/* SPDX-License-Identifier: MIT */
/*
 * Edges of a graph while they are being added up.  A walk looks one up for
 * every frame and each is somewhere else in memory, so what there is to know
 * about an edge is in the very slot of the hash table where it is found.
 */
#ifndef WICK_PROFILE_EDGETAB_H
#define WICK_PROFILE_EDGETAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/node.h"
#include "profile/weight.h"

struct edge_slot {
	node_id from; /* 0: the slot is empty */
	node_id to;
	uint32_t mark;
	uint32_t number : 30;  /* edges are numbered as they are made */
	uint32_t residual : 1; /* as in struct graph_edge */
	uint32_t inlined : 1;
	struct weight sum;
};

/* One thread at a time.  The memory is the arena's. */
struct edgetab {
	struct edge_slot *slots;
	uint32_t mask; /* slots - 1 */
	uint32_t shift;
	uint64_t key;
	VEC(uint32_t) slot_of; /* by number */
};

/* A failure shows in the arena. */
void edgetab_init(struct edgetab *t, struct arena *arena);

static inline uint32_t edgetab_first(const struct edgetab *t, node_id from,
				     node_id to)
{
	uint64_t h = ((uint64_t)from << 32 | to) * t->key;

	return (uint32_t)((h ^ h << 29) >> t->shift);
}

/* Soon this edge will be asked for. */
__attribute__((always_inline)) static inline void edgetab_ask_ahead(
	const struct edgetab *t, node_id from, node_id to)
{
	__builtin_prefetch(&t->slots[edgetab_first(t, from, to)], 1);
}

/*
 * The edge, made if it is not there: inlined, and unmarked.  Good until the
 * next call.  NULL: out of memory.
 */
struct edge_slot *edgetab_get(struct edgetab *t, node_id from, node_id to,
			      struct arena *arena);

static inline struct edge_slot *edgetab_at(const struct edgetab *t,
					   uint32_t number)
{
	return &t->slots[t->slot_of.at[number]];
}

#endif /* WICK_PROFILE_EDGETAB_H */

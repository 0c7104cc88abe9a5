/* SPDX-License-Identifier: MIT */
/*
 * Edges of a graph while they are being added up.  A walk meets one for every
 * frame and each is somewhere else in memory, so a slot of the hash table is no
 * more than the edge and its sum, and edges are added in batches: what a batch
 * touches comes near the processor while the batch is put together.
 */
#ifndef WICK_PROFILE_EDGETAB_H
#define WICK_PROFILE_EDGETAB_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/node.h"
#include "profile/weight.h"

/*
 * An edge in a word: from, to, and above each of them a flag.  Both are off in
 * a new edge, and once set by any of its calls they stay.
 */
#define EDGE_RESIDUAL ((uint64_t)1 << 63) /* as in struct graph_edge */
#define EDGE_REAL     ((uint64_t)1 << 31) /* a call was not inlined */

static inline uint64_t edge_word(node_id from, node_id to)
{
	return (uint64_t)from << 32 | to;
}

static inline node_id edge_from(uint64_t edge)
{
	return (node_id)((edge & ~EDGE_RESIDUAL) >> 32);
}

static inline node_id edge_to(uint64_t edge)
{
	return (node_id)(edge & (EDGE_REAL - 1));
}

struct edge_slot {
	uint64_t edge; /* 0: the slot is empty */
	uint64_t value;
};

struct edge_visit {
	uint64_t edge;
	struct weight sum;
};

/* One thread at a time.  The memory is the arena's. */
struct edgetab {
	struct arena *arena;
	struct edge_slot *slots;
	uint64_t *div; /* by slot; NULL unless a mean is wanted */
	uint32_t mask; /* slots - 1 */
	uint32_t shift;
	uint32_t count;
	uint64_t key;
};

/* With room for about so many edges at first.  A failure shows in the arena. */
void edgetab_init(struct edgetab *t, bool mean, uint32_t expected,
		  struct arena *arena);

/* Where the search for an edge starts, until there is more room. */
static inline uint32_t edgetab_first(const struct edgetab *t, uint64_t edge)
{
	uint64_t h = (edge & ~(EDGE_RESIDUAL | EDGE_REAL)) * t->key;

	return (uint32_t)((h ^ h << 29) >> t->shift);
}

/* Soon the search for an edge will start here. */
__attribute__((always_inline)) static inline void edgetab_ask_ahead(
	const struct edgetab *t, uint32_t slot)
{
	__builtin_prefetch(&t->slots[slot], 1);
}

/* Makes room for so many more.  False: out of memory. */
bool edgetab_reserve(struct edgetab *t, uint32_t count);

/* The slot of an edge, which is made if it is not there; there is room, and the
 * search for it starts at that slot. */
static inline uint32_t edgetab_place(struct edgetab *t, uint32_t slot,
				     uint64_t edge)
{
	const uint64_t flags = EDGE_RESIDUAL | EDGE_REAL;

	while ((t->slots[slot].edge ^ edge) & ~flags) {
		if (!t->slots[slot].edge) {
			t->count++;
			break;
		}
		slot = (slot + 1) & t->mask;
	}
	t->slots[slot].edge |= edge;
	return slot;
}

/* Adds to an edge; likewise. */
static inline void edgetab_add_at(struct edgetab *t, uint32_t slot,
				  uint64_t edge, struct weight sum)
{
	slot = edgetab_place(t, slot, edge);
	t->slots[slot].value += sum.value;
	if (t->div)
		t->div[slot] += sum.div;
}

/* In a table whose edges are numbered from 1 instead of added up: an edge's
 * number, which is the count if it was not there; likewise. */
static inline uint32_t edgetab_number_at(struct edgetab *t, uint32_t slot,
					 uint64_t edge)
{
	uint32_t before = t->count;

	slot = edgetab_place(t, slot, edge);
	if (t->count != before)
		t->slots[slot].value = t->count;
	return (uint32_t)t->slots[slot].value;
}

/*
 * Adds to edges.  Made for some hundreds at a time that were asked for ahead.
 * False: out of memory.
 */
bool edgetab_add(struct edgetab *t, const struct edge_visit *visits,
		 uint32_t count);

/* What the edge in a slot adds up to. */
static inline struct weight edgetab_sum(const struct edgetab *t, uint32_t slot)
{
	return (struct weight){ t->slots[slot].value,
				t->div ? t->div[slot] : 0 };
}

#endif /* WICK_PROFILE_EDGETAB_H */

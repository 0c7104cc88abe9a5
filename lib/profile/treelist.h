/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_TREELIST_H
#define WICK_PROFILE_TREELIST_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/node.h"

struct arena;
struct graph_pacer;
struct runtree;
struct workers;

/* A call of a node of the tree; or that a node ends its run. */
struct tree_call {
	uint32_t weight; /* index into weights */
	node_id callee;	 /* 0: the run ends */
	uint32_t place;	 /* see treelist_turn(); or which run ends */
};

/* A node that spends something itself, at the end of a run. */
struct tree_spender {
	uint64_t own; /* as it is shown; so is all that is spent below */
	uint32_t run;
	node_id entry;
};

/*
 * All nodes of a call tree in the order of lists: first those that spend
 * something themselves, the most first; then the others by their names, the
 * heavier first.  Or, by weight: all by what they weigh, the heaviest first,
 * then by their names, those that spend the most first.  Nearly every node is
 * inside a run and calls just the next one there, so that a list of those calls
 * is all that need be made of it: eight bytes a node.  The memory is the
 * arena's.
 */
struct treelist {
	struct tree_spender *spenders; /* by weight, they are among the rows */
	uint32_t spender_count;

	node_id *entries; /* of rows, in order; by weight, often the same */
	uint32_t entry_count;
	uint32_t
		*starts; /* rows of entries[i] are starts[i] to starts[i + 1] */
	uint64_t *rows;	 /* whom they call: see treelist_row() */
	uint32_t row_count;
	uint8_t place_bits;  /* of a row, the lowest */
	uint8_t callee_bits; /* and the next; the others are the weight's */

	/* Where runs end: calls[first_call[run]] and so on, the heavier first,
	 * then by name; of run 0 those that nobody calls. */
	struct tree_call *calls;
	uint32_t *first_call;

	uint64_t *weights; /* that calls can have, the heaviest first */
	uint32_t weight_count;
	const uint64_t *own; /* by run, if lists are by weight: what the node at
				its end spends */
	uint64_t least; /* that any node spends, or weighs if it spends nothing
			 */
	uint32_t *to_turn;    /* by node_id */
	uint32_t *kin_counts; /* how many nodes there are of each */
};

/* What a list is made with besides the tree. */
struct treelist_kin {
	const uint32_t *ranks;		 /* by node_id: the order of names */
	const uint32_t *of;		 /* by node_id: who counts together */
	uint32_t nodes;			 /* node_ids are less */
	uint32_t kinds;			 /* and so are those */
	bool by_weight;			 /* is the order */
	const struct graph_pacer *pacer; /* NULL: as fast as it goes */
};

enum {
	TREELIST_AHEAD = 32, /* that many rows behind the last can be read */
};

/*
 * Returns 0, -ENOMEM, -ECANCELED when the pacer told to stop, or -ENOTSUP where
 * two entries have the same name, or there are too many nodes for a row to name
 * them.
 */
int treelist_make(struct treelist *l, const struct runtree *t,
		  const struct treelist_kin *kin, const struct workers *workers,
		  struct arena *arena);

/* How many nodes there are. */
static inline uint32_t treelist_count(const struct treelist *l)
{
	return l->spender_count + l->row_count;
}

/* A row, of which those behind the last that can be read end run 0. */
static inline struct tree_call treelist_row(const struct treelist *l,
					    uint64_t number)
{
	uint64_t row = l->rows[number];
	uint64_t rest = row >> l->place_bits;

	return (struct tree_call){
		.weight = (uint32_t)(rest >> l->callee_bits),
		.callee = (node_id)(rest & ~(UINT64_MAX << l->callee_bits)),
		.place = (uint32_t)(row & ~(UINT64_MAX << l->place_bits)),
	};
}

/* How many of a callee's kin are listed before it, from the place in a call and
 * what to_turn has of the callee.  Bits that a row has no room for are lost
 * between the two. */
static inline uint32_t treelist_turn(const struct treelist *l, uint32_t place,
				     uint32_t to_turn)
{
	return (place + to_turn) & (uint32_t) ~(UINT64_MAX << l->place_bits);
}

/* A place in the list, to go on from. */
struct treelist_cursor {
	uint32_t place;
	uint32_t index; /* of the entry, once all spenders are behind */
};

/* The node at a place. */
static inline struct treelist_cursor treelist_seek(const struct treelist *l,
						   uint32_t place)
{
	uint32_t low = 0, high = l->entry_count;

	if (place <= l->spender_count)
		return (struct treelist_cursor){ place, 0 };
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (l->starts[middle] <= place - l->spender_count)
			low = middle;
		else
			high = middle;
	}
	return (struct treelist_cursor){ place, low };
}

static inline void treelist_step(const struct treelist *l,
				 struct treelist_cursor *c)
{
	c->place++;
	if (c->place > l->spender_count &&
	    c->place - l->spender_count == l->starts[c->index + 1])
		c->index++;
}

/* Which entry it is. */
static inline node_id treelist_entry(const struct treelist *l,
				     struct treelist_cursor c)
{
	return c.place < l->spender_count ? l->spenders[c.place].entry
					  : l->entries[c.index];
}

/* What the node of a row spends itself. */
static inline uint64_t treelist_row_own(const struct treelist *l,
					const struct tree_call *row)
{
	return l->own && !row->callee ? l->own[row->place] : 0;
}

/* What it spends itself. */
static inline uint64_t treelist_own(const struct treelist *l,
				    struct treelist_cursor c)
{
	struct tree_call row;

	if (c.place < l->spender_count)
		return l->spenders[c.place].own;
	row = treelist_row(l, c.place - l->spender_count);
	return treelist_row_own(l, &row);
}

/* The calls at the end of a run, the heavier first. */
static inline const struct tree_call *treelist_calls_of_run(
	const struct treelist *l, uint32_t run, uint32_t *ret_count)
{
	*ret_count = l->first_call[run + 1] - l->first_call[run];
	return l->calls + l->first_call[run];
}

/* Whom it calls, the heavier first.  What it returns may be row. */
static inline const struct tree_call *treelist_calls(const struct treelist *l,
						     struct treelist_cursor c,
						     struct tree_call *row,
						     uint32_t *ret_count)
{
	if (c.place < l->spender_count)
		return treelist_calls_of_run(l, l->spenders[c.place].run,
					     ret_count);
	*row = treelist_row(l, c.place - l->spender_count);
	if (!row->callee)
		return treelist_calls_of_run(l, row->place, ret_count);
	*ret_count = 1;
	return row;
}

/*
 * Brings near what treelist_calls() and treelist_own() will read of the nodes
 * behind a place, for who goes through the list: first where the calls of runs
 * are, then they.
 * Always inlined, because gcc drops calls of functions that do nothing but
 * prefetch.
 */
__attribute__((always_inline)) static inline void treelist_ask_ahead(
	const struct treelist *l, uint32_t place)
{
	enum { PLACES = 30, CALLS = 20 };
	struct tree_call row;
	uint64_t number;

	_Static_assert((int)PLACES < (int)TREELIST_AHEAD, "rows are there");
	if (place < l->spender_count) {
		const struct tree_spender *s = &l->spenders[place];

		if (place + PLACES >= l->spender_count)
			return;
		__builtin_prefetch(&l->first_call[s[PLACES].run]);
		__builtin_prefetch(&l->calls[l->first_call[s[CALLS].run]]);
		return;
	}
	number = place - l->spender_count;
	row = treelist_row(l, number + PLACES);
	if (!row.callee)
		__builtin_prefetch(&l->first_call[row.place]);
	row = treelist_row(l, number + CALLS);
	if (row.callee)
		return;
	__builtin_prefetch(&l->calls[l->first_call[row.place]]);
	if (l->own)
		__builtin_prefetch(&l->own[row.place]);
}

#endif /* WICK_PROFILE_TREELIST_H */

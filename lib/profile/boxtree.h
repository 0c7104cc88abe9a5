/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_BOXTREE_H
#define WICK_PROFILE_BOXTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/node.h"

struct profile;
struct stack_order;

enum { BOX_SIDES = 2 }; /* of a comparison: before and after */

/*
 * A box of a flame graph: one entry on one path of calls.  Values are sums of
 * samples, never negative; the last side's decide where the box is.
 */
struct box {
	uint32_t parent; /* index; the root's is 0, itself */
	uint32_t depth;	 /* the root's is 0 */
	node_id node;	 /* 0: the root, or what was too small */
	uint32_t
		merged; /* how many entries that were too small; 0: it is one */
	bool inlined;	/* wherever it occurs on this path */
	double start;	/* of its left edge, in values */
	double value[BOX_SIDES];
	double self[BOX_SIDES]; /* spent in it, not in what it calls */
};

/*
 * The boxes of a flame graph: each before those it calls, brothers from left to
 * right.  [0] is the root, which stands for everything.  What is too small to
 * be a box is merged with its small brothers into one, at their right, or left
 * out if that is too small as well; so the values of a box's children and its
 * self add up to its own, less what was left out.
 */
struct boxtree {
	VEC(struct box) boxes;
	uint32_t depth; /* of the deepest box */
	double least;	/* value of the smallest that could be one */
	bool cut;	/* stacks went deeper than boxes do */
	bool merged;	/* something was too small */
};

/* What to draw.  Everything is borrowed. */
struct boxtree_request {
	const struct profile *profile;
	const struct nodetab *nodes;
	const struct stack_order *order; /* of the profile's stacks */
	uint32_t type[BOX_SIDES];
	uint32_t sides;	      /* 1 or 2: how many types count */
	bool reverse;	      /* from the functions that ran to their callers */
	const uint32_t *rank; /* by node: brothers stand in this order */
	const uint32_t *cost; /* by node: what a box of it costs; [0]: others */
	uint64_t budget;      /* what all boxes may cost */
	double least_share;   /* of the total, for a box */
};

/*
 * Only boxes that will be seen are looked into, so the cost follows the picture
 * rather than the profile.  If they are over the budget, the smallest are
 * merged until the rest fits.  The memory is arena's.  Returns 0 or -ENOMEM.
 */
int boxtree_make(struct boxtree *t, const struct boxtree_request *q,
		 struct arena *arena);

#endif /* WICK_PROFILE_BOXTREE_H */

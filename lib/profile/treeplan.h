/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_TREEPLAN_H
#define WICK_PROFILE_TREEPLAN_H

#include <stdint.h>

struct arena;
struct graph_request;
struct stack_weights;

/*
 * What there is to know of a call tree before it is made.  Positions are those
 * of the walk's order, and entries are counted along a position's run of
 * frames, the outermost first.  The memory is the arena's.
 */
struct tree_plan {
	uint32_t *shared;  /* so many entries may be other positions' too */
	uint32_t *kept;	   /* so many have nodes in the tree; NULL: all */
	uint64_t left_out; /* nodes that the tree will not have */
};

/*
 * Plans a tree of the nodes whose cum is at least least; 0: of all.  Other than
 * 0 only where no sample is negative, for then what comes below a node that is
 * left out is left out as well.  w is what the request's stacks add up to.
 * Returns 0 or -ENOMEM.
 */
int tree_plan_make(struct tree_plan *plan, const struct graph_request *q,
		   const struct stack_weights *w, uint64_t least,
		   struct arena *arena);

#endif /* WICK_PROFILE_TREEPLAN_H */

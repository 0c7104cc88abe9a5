/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_MERGETREE_H
#define WICK_PROFILE_MERGETREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/node.h"

struct error;
struct profile;
struct stack_order;

/* In mergetree.entries: inlined, wherever it occurs on this path. */
#define MERGED_INLINED ((uint32_t)1 << 31)

/* More entries than this are refused: hostile files would ask for terabytes. */
enum { MERGED_MOST = 64 << 20 };

/*
 * All stacks that samples end in, as one call tree in which equal paths of
 * entries are one path, numbered in preorder: a subtree is a range of numbers.
 * Entries that neither part nor end a stack share a segment with what they
 * call, so that a walk over segments is ten times as short as over entries.
 *
 * Children stand in the order of their ranks.
 */
struct mergetree {
	/* By segment: how far before it its caller's stands; 0: it has none. */
	VEC(uint32_t) up;
	VEC(uint32_t) length;  /* by segment: how many entries */
	VEC(uint32_t) entries; /* of all segments: ranks, and MERGED_INLINED */
	uint32_t *end; /* by position in the order: the segment whose last
			  entry the stack ends with, plus 1; 0: no sample
			  ends here, or none has a frame */
};

/* What to merge.  Everything is borrowed. */
struct mergetree_request {
	const struct profile *profile;
	const struct nodetab *nodes;
	const struct stack_order *order; /* of the profile's stacks */
	const uint32_t *rank;		 /* by node: less than MERGED_INLINED */
};

/*
 * Each frame of each stack is looked at once.  The memory is arena's.  Returns
 * 0, -ENOMEM, or -EFBIG if there would be more than MERGED_MOST entries.
 */
int mergetree_make(struct mergetree *t, const struct mergetree_request *q,
		   struct arena *arena);

#endif /* WICK_PROFILE_MERGETREE_H */

/* SPDX-License-Identifier: MIT */
/*
 * Going along stacks entry by entry, from either end.  An entry is a line of a
 * location: inlined calls are steps like others.
 */
#ifndef WICK_PROFILE_BOXWALK_H
#define WICK_PROFILE_BOXWALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/boxtree.h"

struct arena;

/* An entry of one run of frames, and what the samples that go on from it or
 * came to it weigh. */
struct box_cursor {
	uint32_t position; /* of the run, in the walk's order */
	uint32_t frame;	   /* in the run */
	uint32_t entry;	   /* index into nodetab.ids */
	double weight[BOX_SIDES];
};

/* The weights of stacks by their position, and where their subtrees end. */
struct box_walk {
	const struct boxtree_request *q;
	struct arena *arena;
	double *own[BOX_SIDES]; /* of the samples that end there */
	double *sum[BOX_SIDES]; /* and of those that go on */
	uint32_t *end;		/* the first position behind the subtree */
	VEC(struct box_cursor) next;
};

/* Returns 0 or -ENOMEM.  The memory is arena's. */
int box_walk_init(struct box_walk *w, const struct boxtree_request *q,
		  struct arena *arena);

/*
 * Puts the entries that follow c into w->next: one, or more where stacks part,
 * or none.  c NULL: those that all stacks begin with.  Returns 0 or -ENOMEM.
 */
int box_walk_step(struct box_walk *w, const struct box_cursor *c);

/* Whether the entry was inlined into the one that it belongs to. */
bool box_cursor_inlined(const struct box_walk *w, const struct box_cursor *c);

#endif /* WICK_PROFILE_BOXWALK_H */

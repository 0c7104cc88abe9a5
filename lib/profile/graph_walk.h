/* SPDX-License-Identifier: MIT */
/*
 * The walk over the stack tree that the nodes and the edges of a graph have in
 * common, whole or in parts for several workers: a part begins by following the
 * path to where it starts.
 */
#ifndef WICK_PROFILE_GRAPH_WALK_H
#define WICK_PROFILE_GRAPH_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/graph.h"
#include "profile/order.h"
#include "profile/pathmarks.h"
#include "profile/visits.h"

/* What all parts share. */
struct graph_walk {
	const struct graph_request *q;
	struct stack_weights weights;
	struct visits visits;
	unsigned parts;
};

/* Returns 0 or -ENOMEM.  The memory is arena's. */
int graph_walk_init(struct graph_walk *w, const struct graph_request *q,
		    struct arena *arena);

/*
 * Enters the run of frames at a position, after all that it continues.  mark is
 * ON_PATH if others continue it, else its position.  Returns 0 or -ENOMEM.
 */
typedef int graph_enter(void *part, uint32_t position, uint32_t mark,
			struct weight sum);

/*
 * Walks a part: enters the path to it, which weighs nothing here, and then each
 * run of its own that counts.  Returns 0, what enter did, or -ECANCELED.
 */
int graph_walk_part(const struct graph_walk *w, unsigned number,
		    graph_enter *enter, void *part, struct arena *scratch);

/* Nodes that have spent nothing yet, in g; 0 or -ENOMEM. */
int graph_init_nodes(struct graph *g, uint32_t count, struct arena *arena);

/* The frames of the run at a position. */
static inline const frame_id *graph_walk_frames(const struct graph_walk *w,
						uint32_t position)
{
	return w->q->profile->stacks.frames.at +
	       w->q->order->step[position].first;
}

#endif /* WICK_PROFILE_GRAPH_WALK_H */

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
	struct stack_weights weights; /* none: all runs count, for nothing */
	struct visits visits;
	unsigned parts;
};

/* Without weights.  Returns 0 or -ENOMEM.  The memory is arena's. */
int graph_walk_init(struct graph_walk *w, const struct graph_request *q,
		    struct arena *arena);

/* With the request's weights; likewise. */
int graph_walk_init_weighed(struct graph_walk *w, const struct graph_request *q,
			    struct arena *arena);

/* Asks the request's pacer, now and then: asking costs something, too. */
static inline bool graph_may_go_on(const struct graph_request *q,
				   uint32_t position)
{
	enum { ASK_EVERY = 4096 };

	return position % ASK_EVERY || graph_pacer_ask(q->pacer);
}

/* What the run at a position marks: see pathmarks.h. */
static inline uint32_t graph_walk_mark(const struct stack_order *o,
				       uint32_t position)
{
	bool last = position + 1 == o->count ||
		    o->step[position + 1].parent != position;

	return last ? position : ON_PATH;
}

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

/* As many edges as graphs mostly have, where nothing is known. */
uint32_t graph_expected_edges(const struct graph_request *q);

/* Nodes that have spent nothing yet, in g; 0 or -ENOMEM. */
int graph_init_nodes(struct graph *g, uint32_t count, struct arena *arena);

/* Adds what nodes spend themselves, and how cum differs from what the edges to
 * them add up to. */
void graph_add_sums(struct graph *g, const struct sums *flat,
		    const struct sums *beside);

/* Adds to the cum of nodes what all edges of g lead to them. */
void graph_add_calls(struct graph *g);

/* The frames of the run at a position. */
static inline const frame_id *graph_walk_frames(const struct graph_walk *w,
						uint32_t position)
{
	return w->q->profile->stacks.frames.at +
	       w->q->order->step[position].first;
}

#endif /* WICK_PROFILE_GRAPH_WALK_H */

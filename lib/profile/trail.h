/* SPDX-License-Identifier: MIT */
/*
 * Who calls whom in each run of a stack tree, as numbers of edges.  Which steps
 * of a stack count, and for which edge, depends on the tree and its nodes
 * alone.  So it is found out once, and then the graph of any choice of samples
 * and of any of their values is a matter of adding up.
 *
 * It takes four bytes for each frame of the tree, with what is inlined there.
 */
#ifndef WICK_PROFILE_TRAIL_H
#define WICK_PROFILE_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "base/workers.h"
#include "profile/node.h"

struct graph;
struct graph_request;

/* Of a step: the call was not inlined. */
#define TRAIL_REAL ((uint32_t)1 << 31)

/* A run of frames as it is left. */
struct trail_run {
	uint32_t end; /* of its steps in its part */
	node_id last; /* where the stack spends its own */
};

/* Of the node of an aside: it is on the path already, met by another edge. */
#define TRAIL_AGAIN ((uint32_t)1 << 31)

/* Where a node is met by no edge, since it starts a stack, or by a second. */
struct trail_aside {
	uint32_t position;
	node_id node;
};

/* What one worker has walked.  It numbers the edges from 1, as it meets them,
 * so that those which are met together are near each other. */
struct trail_part {
	struct arena arena; /* all memory is of it */
	uint32_t begin;	    /* positions in the walk's order */
	uint32_t end;
	VEC(uint32_t) steps; /* edges */
	uint32_t most_steps; /* that are worth the memory */
	VEC(struct trail_aside) asides;
	VEC(uint64_t)
	words;		     /* the edges, as in edgetab.h; [0] unused.  Only
				until they are in order */
	uint32_t edge_count; /* from then on; [0] included */
	uint32_t *edges;     /* by edge of the trail: which it is here; or 0 */
	int result;
	WORKERS_APART;
};

struct trail {
	struct arena arena;
	uint32_t node_count;
	struct trail_run *runs; /* by position */
	uint32_t run_count;
	uint64_t *edges; /* words, in the order of a graph's edges */
	uint32_t edge_count;
	unsigned parts; /* 0: this is empty */
	struct trail_part part[WORKERS_MAX];
};

/*
 * The trail of a request; values do not matter, nor what is known.  Its memory
 * is its own.  Returns 0, or a negative errno and then it is empty: -E2BIG if
 * there are more edges than wanted, or far more steps than frames; -ECANCELED.
 */
int trail_make(struct trail *t, const struct graph_request *q);
void trail_release(struct trail *t);

/*
 * The graph of a request that wants all there is, from a trail of the same
 * stacks and nodes.  The memory is arena's.  Returns 0, -ENOMEM or -ECANCELED.
 */
int trail_graph(struct graph *g, const struct trail *t,
		const struct graph_request *q, struct arena *arena);

#endif /* WICK_PROFILE_TRAIL_H */

/* SPDX-License-Identifier: MIT */
/*
 * Where a part of the walk is that adds up edges: the path from the root, what
 * was met on it, and the edges so far.
 *
 * What a node and its callees spend is then nearly known as well: all that
 * comes to it by edges, and what starts with it, less what comes to it by a
 * second edge while it is on the path already.
 */
#ifndef WICK_PROFILE_EDGEPART_H
#define WICK_PROFILE_EDGEPART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "profile/edgetab.h"
#include "profile/graph_walk.h"
#include "profile/pathmarks.h"

/* The kept caller, as of the end of a frame. */
struct edge_place {
	node_id node;
	bool residual; /* frames since then were passed over */
};

/* A run that others continue, as it was left. */
struct open_run {
	uint32_t position;
	uint32_t height; /* of the marks */
	struct edge_place place;
};

/* One thread at a time. */
struct edgepart {
	const struct graph_walk *walk;
	struct arena scratch; /* all memory is of it */
	struct edgetab edges;
	struct pathmarks marks;
	VEC(struct open_run) open; /* the path to the run being walked */

	/* Of nodes, if they are wanted too: what they spend themselves, and
	 * how cum differs from what the edges to them add up to. */
	bool with_nodes;
	struct sums flat;
	struct sums beside;

	/* The run being walked. */
	uint32_t position;
	struct weight sum;
	struct edge_place at;
	uint32_t mark; /* as in graph_enter */
};

/* For about so many edges.  Returns 0 or -ENOMEM. */
int edgepart_init(struct edgepart *p, const struct graph_walk *walk,
		  bool with_nodes, uint32_t edges);

/* Goes to where the run at a position starts. */
void edgepart_begin_run(struct edgepart *p, uint32_t position, uint32_t mark,
			struct weight sum);

/* Leaves it where it is now.  Returns 0 or -ENOMEM. */
int edgepart_end_run(struct edgepart *p, uint32_t position);

/* Meets a node, coming from another (0: from nowhere), as pathmarks_meet(). */
static inline enum meeting edgepart_meet(struct edgepart *p, node_id from,
					 node_id to)
{
	enum meeting met = pathmarks_meet(&p->marks, from, to, p->mark);

	if (!p->with_nodes || met == MET_BEFORE || met == MET_NO_MEMORY)
		return met;
	if (!from)
		sums_add(&p->beside, to, p->sum);
	else if (met == MET_EDGE)
		sums_sub(&p->beside, to, p->sum);
	return met;
}

/* Whether there are more edges than the request has a use for. */
static inline bool edgepart_has_too_many(const struct edgepart *p)
{
	uint32_t most = p->walk->q->most_edges;

	return most && p->edges.count > most;
}

#endif /* WICK_PROFILE_EDGEPART_H */

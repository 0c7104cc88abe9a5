/* SPDX-License-Identifier: MIT */
/*
 * Orders within a trimmed graph: of its nodes, of each node's edges, and which
 * edges say nothing that others do not.  Every order is total, so that equal
 * input gives equal output.
 */
#ifndef WICK_PROFILE_GRAPH_ORDER_H
#define WICK_PROFILE_GRAPH_ORDER_H

#include "profile/trim.h"

graph_score graph_score_flat;
graph_score graph_score_cum;

/* Puts t->shown in order, the highest score first.  Returns 0 or -ENOMEM. */
int graph_order_nodes(struct trimmed *t, graph_score *score_of,
		      struct arena *arena);

/*
 * The same for nodes of a tree that were in order before it was trimmed.  Of
 * those that nothing tells apart now, pprof shows first what Go's sort leaves
 * first, and so does this.
 */
int graph_reorder_nodes(struct trimmed *t, graph_score *score_of,
			struct arena *arena);

/*
 * Puts the edges of these ids in order: the heavier first, then by name.
 * Returns 0 or -ENOMEM.
 */
int graph_sort_edges(const struct trimmed *t, uint32_t *ids, uint32_t count,
		     struct arena *arena);

/* Whether an edge comes before another, by that order; context is the struct
 * trimmed.  For sort_ids(). */
bool graph_edge_before(const void *context, uint32_t a, uint32_t b);

/* The order of two nodes' names, as memcmp() gives it. */
int graph_compare_names(const struct trimmed *t, uint32_t a, uint32_t b);

/* Puts the names of all entries in order, for graphs so large that this is less
 * work than to compare them again and again.  Returns 0 or -ENOMEM. */
int graph_rank_names(struct trimmed *t, struct arena *arena);

/* Which edges of each node are listed, and how. */
enum edge_lists {
	LIST_CALLEES = 1,
	LIST_CALLERS = 2,
	LIST_IN_ORDER = 4,
};

/*
 * Finds the edges of each node again after they changed: such lists as are
 * wanted.  Returns 0 or -ENOMEM, or -ECANCELED when it was told to stop.
 */
int graph_link_edges(struct trimmed *t, unsigned lists, struct arena *arena);

/*
 * Removes residual edges whose target is reached from their source by another
 * way, the lightest first.  Returns 0 or -ENOMEM.
 */
int graph_drop_redundant(struct trimmed *t, struct arena *arena);

#endif /* WICK_PROFILE_GRAPH_ORDER_H */

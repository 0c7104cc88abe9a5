/* SPDX-License-Identifier: MIT */
/*
 * What the graph-shaped reports (top, tree, peek, dot, callgrind, …) have in
 * common: aggregating the filtered profile, trimming it, choosing a unit, and
 * the lines at their head.
 */
#ifndef WICK_REPORT_GRAPHVIEW_H
#define WICK_REPORT_GRAPHVIEW_H

#include "profile/node.h"
#include "profile/order.h"
#include "profile/trim.h"
#include "report/context.h"

struct treetext;

/* Everything is in the context's arena. */
struct graph_view {
	struct node_options options;
	struct nodetab nodes;
	struct stack_weights weights;
	struct graph_request request;
	struct trim_options trim;
	const struct trimmed *whole; /* the result, if it is known; or NULL */
	const struct treetext *tree; /* if it is known; or NULL */
	struct trimmed trimmed;
};

/* Which graph a report wants. */
struct graph_wish {
	bool objects;	   /* tell nodes of different binaries apart */
	bool visual;	   /* for a picture */
	bool tree_allowed; /* call_tree is honoured */
	bool edges;
	bool callees_only; /* of the edges only those from a node */
	bool callers_only; /* only those to it, in any order */
	bool few_edges;	   /* are needed; the caller limits the request */
	bool whole_unit;   /* values are written as integers */
	bool lists_trees;  /* and does without this, where they can be listed */
	uint32_t (*count_tags)(void *context, const struct trimmed *t,
			       uint32_t node, int64_t cutoff);
	void *context;
};

/* What there will be to make, for graph_view_prepare(); 0 or -ENOMEM. */
int graph_view_describe(struct graph_view *g, const struct report_context *c,
			const struct graph_wish *wish);

/*
 * Makes the nodes and the walking order; returns 0 or a negative errno.  Where
 * g->whole is known after it, all else is done already.
 */
int graph_view_prepare(struct graph_view *g, struct report_context *c,
		       const struct graph_wish *wish, struct error *err);

/*
 * Aggregates, trims, and sets the context's unit.  After
 * graph_view_prepare().  Returns 0 or a negative errno with a sentence.
 */
int graph_view_trim(struct graph_view *g, struct report_context *c,
		    const struct graph_wish *wish, struct error *err);

/*
 * Sets the context's unit to one that suits all values of a report, the
 * smallest of which is least (0: none is known).  whole: they are written as
 * integers.
 */
void context_choose_unit(struct report_context *c, int64_t least, bool whole);

static inline int64_t node_flat(const struct graph_node *n)
{
	return mean_value(n->flat, n->flat_div);
}

static inline int64_t node_cum(const struct graph_node *n)
{
	return mean_value(n->cum, n->cum_div);
}

/*
 * The columns flat, flat%, sum%, cum and cum% of a node; sum is what the rows
 * so far add up to.
 */
void put_node_values(struct sink *out, const struct report_context *c,
		     const struct graph_node *n, int64_t *sum);

/* The lines that describe the profile: File, Type, Time, Duration, … */
void put_profile_header(struct sink *out, const struct report_context *c,
			const char *line_end);

/*
 * The lines at the head of a graph-shaped report, those of the profile
 * included.  full: also where compact_labels asks for less, and with dropped
 * edges, as on pictures.  Returns the length of the first line; a comment can
 * have line ends of its own.
 */
size_t put_graph_header(struct sink *out, const struct report_context *c,
			const struct graph_view *g, bool full,
			const char *line_end);

#endif /* WICK_REPORT_GRAPHVIEW_H */

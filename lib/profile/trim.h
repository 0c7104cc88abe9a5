/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_TRIM_H
#define WICK_PROFILE_TRIM_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/graph.h"

struct trimmed;

/* By what nodes are put in order. */
typedef int64_t graph_score(const struct trimmed *t, uint32_t node);

/* For pictures: nodes that only pass calls on come last. */
graph_score graph_score_entropy;

/* How much of a graph is shown, and in what order. */
struct trim_options {
	double node_fraction; /* of the total, below which nodes go */
	double edge_fraction;
	uint32_t node_count; /* at most so many nodes; 0: no limit */
	bool by_cum;	     /* order by cum instead of flat */
	graph_score *visual; /* of a picture; NULL: it is a list */
	bool tree;	     /* a call tree instead of a graph */
	bool drop_negative;
	bool edges;	   /* wanted at all */
	bool callees_only; /* no one will ask for edges_in() */
	bool callers_only; /* no one will ask for edges_out(), nor for the
			      order of edges; of lists only */
	/*
	 * For pictures, where a node's tags take room too: how many it has,
	 * cutoff being the value below which tags go.  NULL: none have any.
	 */
	uint32_t (*count_tags)(void *context, const struct trimmed *t,
			       uint32_t node, int64_t cutoff);
	void *context;
};

/* Edges of one node, the heaviest first; removed ones are still there. */
struct edge_list {
	const uint32_t *at; /* indexes into graph.edges */
	uint32_t count;
};

/* The edges of node n are ids[first[n]] to ids[first[n + 1]]. */
struct edge_index {
	uint32_t *ids;
	uint32_t *first;
};

/*
 * A graph or tree cut down to what is worth showing.  The memory is the arena's
 * that trim() was given.
 */
struct trimmed {
	const struct graph_request *request; /* borrowed */
	struct arena *arena;		     /* borrowed */
	struct graph graph;
	const bool *kept;     /* by node_id, NULL: all (graphs only) */
	const uint32_t *ends; /* of stacks (trees only): see calltree */
	uint32_t *shown;      /* graph nodes, in order; if all are shown, but
				 edges of a few were asked for, those few come
				 first, in order, and others in none */
	uint32_t shown_count;
	struct span *names;    /* by node_id; made when first needed */
	const uint32_t *ranks; /* as in the nodetab, or made here */
	struct edge_index out;
	struct edge_index in;	 /* unless callers were not wanted */
	uint32_t original_count; /* nodes before node_count was applied */
	uint32_t dropped_nodes;
	uint32_t dropped_edges;
	int64_t tag_cutoff;
};

/* Whether a node is worth showing at all, however little is cut away. */
bool node_is_shown(const struct graph_node *n, bool drop_negative);

/* Returns 0 or -ENOMEM.  request must stay valid as long as t is used. */
int trim(struct trimmed *t, const struct graph_request *request,
	 const struct trim_options *options, struct arena *arena);

struct edge_list edges_out(const struct trimmed *t, uint32_t node);
struct edge_list edges_in(const struct trimmed *t, uint32_t node);

/* What reports call the graph node; see node_name().  Empty, with the arena's
 * failed flag set, when memory ran out. */
struct span trimmed_name(const struct trimmed *t, uint32_t node);

/*
 * The same for one of several threads, while none makes names: one that is not
 * there yet is made in arena, and not kept.
 */
struct span trimmed_name_in(const struct trimmed *t, uint32_t node,
			    struct arena *arena);

/* Which node of the nodetab it shows: in a graph the one of that number. */
static inline node_id trimmed_id(const struct trimmed *t, uint32_t node)
{
	return t->ends ? t->graph.nodes.at[node].info : node;
}

static inline const struct node_info *trimmed_info(const struct trimmed *t,
						   uint32_t node)
{
	return &t->request->nodes->info.at[trimmed_id(t, node)];
}

/*
 * Soon the node's name will be wanted.  Always inlined, because gcc drops calls
 * of functions that do nothing but prefetch.
 */
__attribute__((always_inline)) static inline void trimmed_ask_name(
	const struct trimmed *t, uint32_t node)
{
	__builtin_prefetch(&t->names[trimmed_id(t, node)]);
}

/* And, after that, the text of the name, if it is known. */
__attribute__((always_inline)) static inline void trimmed_ask_text(
	const struct trimmed *t, uint32_t node)
{
	struct span name = t->names[trimmed_id(t, node)];

	__builtin_prefetch(name.at);
	__builtin_prefetch(name.at + name.len);
}

/* |v|; the smallest number, which has none, stays as it is. */
static inline int64_t magnitude(int64_t v)
{
	return v < 0 ? (int64_t) - (uint64_t)v : v;
}

#endif /* WICK_PROFILE_TRIM_H */

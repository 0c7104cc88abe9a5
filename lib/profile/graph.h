/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_GRAPH_H
#define WICK_PROFILE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/node.h"
#include "profile/weight.h"

struct stack_order;
struct trail;
struct trimmed;
struct workers;

/* flat is spent in the node itself, cum also in what it calls. */
struct graph_node {
	int64_t flat;
	int64_t flat_div;
	int64_t cum;
	int64_t cum_div;
	node_id info; /* which node of the nodetab it shows */
};

struct graph_edge {
	uint32_t from; /* indexes into graph.nodes */
	uint32_t to;
	int64_t weight;
	int64_t weight_div;
	bool residual; /* leads over nodes that were left out */
	bool inlined;  /* every call was inlined */
	bool removed;  /* trimmed away */
};

/*
 * Who spends how much and who calls whom.  As a graph, node i of the table is
 * nodes[i]; as a tree (calltree_make()), there is a node for each path.  Nodes
 * that nothing ran through have flat and cum 0.
 */
struct graph {
	VEC(struct graph_node) nodes; /* [0] unused */
	VEC(struct graph_edge) edges;
};

/* Is asked now and then, by each worker; it may take its time to answer. */
struct graph_pacer {
	bool (*go_on)(void *context); /* false: give up */
	void *context;
};

static inline bool graph_pacer_ask(const struct graph_pacer *p)
{
	return !p || p->go_on(p->context);
}

/*
 * What to aggregate.  Recursion counts once: a sample adds to a node or an edge
 * at most one time.
 */
struct graph_request {
	const struct profile *profile;
	const struct nodetab *nodes;
	const struct stack_order *order; /* of the profile's stacks */
	struct sample_value value;
	const struct stack_weights *weights; /* of that value; NULL: unknown */
	const struct graph *known;    /* of all: its nodes, and edges or none */
	const struct trimmed *listed; /* known, as trim() left it; or NULL */
	const struct trail *trail;    /* that fits (see trail.h); NULL: none */
	const bool *kept; /* by node_id; NULL: all.  Others are passed over */
	const bool *edge_ends;	  /* edges from or to these only; NULL: all */
	const bool *edge_targets; /* edges to these only; NULL: all */
	const struct workers *workers;	 /* NULL: none to spare */
	const struct graph_pacer *pacer; /* NULL: as fast as it goes */
	uint32_t
		most_edges; /* of each worker; give up at more; 0: any number */
};

/*
 * What each node spends, and who calls whom: two walks over the stack tree,
 * whose cost follows the tree, not the number of samples times their depth.
 * Either fills in its part of g, replacing what was there; nodes that are not
 * kept get nothing.  The memory is arena's.  They return 0 or -ENOMEM,
 * -ECANCELED when they were told to stop, or -E2BIG for too many edges.
 */
int graph_add_nodes(struct graph *g, const struct graph_request *q,
		    struct arena *arena);
int graph_add_edges(struct graph *g, const struct graph_request *q,
		    struct arena *arena);

/* Both, into a new graph. */
int graph_make(struct graph *g, const struct graph_request *q,
	       struct arena *arena);

/*
 * A call tree: one node for each path from a root, made of the same frames.
 * Parents stand before their children, and each node but a root's has one edge
 * leading to it.  Where nodes were left out below another, a node of no entry
 * and no value stands for them all, its edge removed.
 */
struct calltree {
	struct graph graph;
	uint32_t *ends;	   /* by stack_id: the node it ends in; 0: none */
	uint64_t left_out; /* nodes that have a value */
};

/*
 * Makes the tree of a request, whose kept is not looked at.  least, if not 0,
 * leaves out nodes whose cum is less, and is only for requests without negative
 * values.  The memory is arena's.  Returns 0 or -ENOMEM.
 */
int calltree_make(struct calltree *t, const struct graph_request *q,
		  uint64_t least, struct arena *arena);

/*
 * What the samples of all stacks add up to, which is what the nodes of a tree
 * spend themselves.  False if some are negative: light nodes can then be the
 * callers of others.
 */
bool graph_sum_positive(const struct graph_request *q, int64_t *ret_total);

/* The request's weights, made in arena if it has none; 0 or -ENOMEM. */
int graph_weights(struct stack_weights *ret, const struct graph_request *q,
		  struct arena *arena);

/* The value of a node or edge to show: the mean where there is a divisor. */
static inline int64_t mean_value(int64_t sum, int64_t div)
{
	/* The one quotient that does not exist wraps, as sums do. */
	if (div == -1)
		return (int64_t) - (uint64_t)sum;
	return div ? sum / div : sum;
}

#endif /* WICK_PROFILE_GRAPH_H */

/* SPDX-License-Identifier: MIT */
/*
 * How telling a node of a picture is: what it spends, and how varied its calls
 * are.  Apart from other orders because it needs logarithms, which programs
 * that draw no graphs should not have to load.
 */
#include <math.h>

#include "profile/trim.h"
#include "profile/unit.h"

static double entropy_term(int64_t part, double total)
{
	double fraction = (double)magnitude(part) / total;

	return -fraction * log2(fraction);
}

/* How varied the edges are; self is the node's own share among them. */
static double edge_entropy(const struct trimmed *t, struct edge_list list,
			   int64_t self)
{
	const struct graph_edge *edges = t->graph.edges.at;
	int64_t total = self;
	double score = 0;

	for (uint32_t i = 0; i < list.count; i++)
		if (!edges[list.at[i]].removed && edges[list.at[i]].weight > 0)
			total += edges[list.at[i]].weight;
	if (!total)
		return 0;
	for (uint32_t i = 0; i < list.count; i++)
		if (!edges[list.at[i]].removed)
			score += entropy_term(edges[list.at[i]].weight,
					      (double)total);
	if (self > 0)
		score += entropy_term(self, (double)total);
	return score;
}

static bool any_edge(const struct trimmed *t, struct edge_list list)
{
	for (uint32_t i = 0; i < list.count; i++)
		if (!t->graph.edges.at[list.at[i]].removed)
			return true;
	return false;
}

int64_t graph_score_entropy(const struct trimmed *t, uint32_t node)
{
	const struct graph_node *n = &t->graph.nodes.at[node];
	struct edge_list in = edges_in(t, node), out = edges_out(t, node);
	double score = any_edge(t, in) ? edge_entropy(t, in, 0) : 1;

	score += any_edge(t, out) ? edge_entropy(t, out, n->flat) : 1;
	/* Edges of weight 0 make the score no number. */
	return (int64_t)((uint64_t)integer_part(score * (double)n->cum) +
			 (uint64_t)n->flat);
}

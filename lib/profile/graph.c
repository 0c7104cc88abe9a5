/* SPDX-License-Identifier: MIT */
#include "profile/graph.h"

#include <errno.h>

#include "profile/graph_walk.h"

int graph_weights(struct stack_weights *ret, const struct graph_request *q,
		  struct arena *arena)
{
	if (!q->weights)
		return stack_weights_make(ret, q->profile, q->order, q->value,
					  arena);
	*ret = *q->weights;
	return 0;
}

uint32_t graph_expected_edges(const struct graph_request *q)
{
	enum { FOR_NODE = 2 };
	uint64_t guess = (uint64_t)q->nodes->info.count * FOR_NODE;

	return guess < q->order->count ? (uint32_t)guess : q->order->count;
}

int graph_init_nodes(struct graph *g, uint32_t count, struct arena *arena)
{
	g->nodes.count = 0;
	if (!VEC_RESERVE(&g->nodes, arena, count))
		return -ENOMEM;
	g->nodes.count = count;
	for (node_id i = 0; i < count; i++)
		g->nodes.at[i] = (struct graph_node){ .info = i };
	return 0;
}

void graph_add_sums(struct graph *g, const struct sums *flat,
		    const struct sums *beside)
{
	/* Node 0 is nobody's. */
	for (node_id i = 1; i < g->nodes.count; i++) {
		struct graph_node *n = &g->nodes.at[i];

		weight_add(&n->flat, &n->flat_div, sums_get(flat, i));
		weight_add(&n->cum, &n->cum_div, sums_get(beside, i));
	}
}

void graph_add_calls(struct graph *g)
{
	for (uint32_t i = 0; i < g->edges.count; i++) {
		const struct graph_edge *e = &g->edges.at[i];
		struct graph_node *to = &g->nodes.at[e->to];
		struct weight sum = { (uint64_t)e->weight,
				      (uint64_t)e->weight_div };

		weight_add(&to->cum, &to->cum_div, sum);
	}
}

bool graph_sum_positive(const struct graph_request *q, int64_t *ret_total)
{
	const struct profile *p = q->profile;

	*ret_total = 0;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		int64_t v = profile_values(p, i)[q->value.index];

		if (v < 0)
			return false;
		if (p->stack[i] &&
		    __builtin_add_overflow(*ret_total, v, ret_total))
			return false;
	}
	return true;
}

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

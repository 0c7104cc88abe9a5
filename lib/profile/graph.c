/* SPDX-License-Identifier: MIT */
#include "profile/graph.h"

int graph_weights(struct stack_weights *ret, const struct graph_request *q,
		  struct arena *arena)
{
	if (!q->weights)
		return stack_weights_make(ret, q->profile, q->order, q->value,
					  arena);
	*ret = *q->weights;
	return 0;
}

int graph_make(struct graph *g, const struct graph_request *q,
	       struct arena *arena)
{
	int r;

	*g = (struct graph){ 0 };
	r = graph_add_nodes(g, q, arena);
	return r < 0 ? r : graph_add_edges(g, q, arena);
}

/* SPDX-License-Identifier: MIT */
/*
 * Samples into a call tree: one node for each path of report entries.  Several
 * locations can be the same entry, so children are looked up by entry, not by
 * location.  Recursion is not merged.
 */
#include <errno.h>

#include "base/hash.h"
#include "profile/graph.h"
#include "profile/order.h"

struct walk {
	const struct graph_request *q;
	struct graph *g;
	struct arena *arena;	      /* for the tree */
	struct arena *scratch;	      /* for everything else */
	struct stack_weights weights; /* the request's, or made here */
	uint32_t *end;	    /* by stack: the tree node it ends in; 0: none */
	VEC(uint32_t) edge; /* by tree node: index + 1 of the edge to it */
	struct table index; /* (parent, entry) -> tree node */
};

static uint32_t parent_of(const struct walk *w, uint32_t node)
{
	uint32_t edge = w->edge.at[node];

	return edge ? w->g->edges.at[edge - 1].from : 0;
}

static uint32_t find_child(const struct walk *w, uint32_t hash, uint32_t parent,
			   node_id info)
{
	uint32_t i = table_start(&w->index, hash);
	uint32_t id;

	for (; (id = table_id(&w->index, i, hash)) != TABLE_END;
	     i = table_next(&w->index, i))
		if (id && w->g->nodes.at[id].info == info &&
		    parent_of(w, id) == parent)
			return id;
	return 0;
}

static uint32_t add_child(struct walk *w, uint32_t hash, uint32_t parent,
			  node_id info)
{
	struct graph_node *n = VEC_PUSH(&w->g->nodes, w->arena);
	uint32_t *edge = VEC_PUSH(&w->edge, w->scratch);
	uint32_t id = w->g->nodes.count - 1;

	if (!n || !edge || !table_add(&w->index, w->scratch, hash, id))
		return 0;
	n->info = info;
	*edge = 0;
	if (parent) {
		struct graph_edge *e = VEC_PUSH(&w->g->edges, w->arena);

		if (!e)
			return 0;
		*e = (struct graph_edge){ parent, id, .inlined = true };
		*edge = w->g->edges.count;
	}
	return id;
}

/* Goes down from parent to entry info; returns the tree node, 0: no memory. */
static uint32_t enter(struct walk *w, uint32_t parent, node_id info,
		      struct weight sum, bool inlined)
{
	uint32_t hash = hash_pair(parent, info);
	uint32_t id = find_child(w, hash, parent, info);
	struct graph_node *n;

	if (!id)
		id = add_child(w, hash, parent, info);
	if (!id)
		return 0;
	n = &w->g->nodes.at[id];
	weight_add(&n->cum, &n->cum_div, sum);
	if (w->edge.at[id]) {
		struct graph_edge *e = &w->g->edges.at[w->edge.at[id] - 1];

		weight_add(&e->weight, &e->weight_div, sum);
		e->inlined &= inlined;
	}
	return id;
}

static int enter_stack(struct walk *w, uint32_t position, uint32_t *at)
{
	const struct stacktab *t = &w->q->profile->stacks;
	const struct nodetab *nodes = w->q->nodes;
	const struct stack_node *n = &w->q->order->step[position];
	struct weight sum = stack_weight(&w->weights, position);
	struct graph_node *end = &w->g->nodes.at[*at];

	weight_sub(&end->flat, &end->flat_div, sum);
	for (uint32_t f = 0; f < n->length; f++) {
		location_id l = t->frames.at[n->first + f];
		uint32_t last = nodes->first[l + 1];

		for (uint32_t i = last; i-- > nodes->first[l];) {
			*at = enter(w, *at, nodes->ids.at[i], sum,
				    i != last - 1);
			if (!*at)
				return -ENOMEM;
		}
	}
	end = &w->g->nodes.at[*at];
	weight_add(&end->flat, &end->flat_div, sum);
	return 0;
}

static int walk_tree(struct walk *w)
{
	const struct stack_order *o = w->q->order;

	for (uint32_t i = 1; i < o->count; i++) {
		uint32_t at = w->end[order_node(o, o->step[i].parent)];

		if (w->weights.any[i] && enter_stack(w, i, &at) < 0)
			return -ENOMEM;
		w->end[order_node(o, i)] = at;
	}
	/* The root is no entry; what it was credited with means nothing. */
	w->g->nodes.at[0] = (struct graph_node){ 0 };
	return 0;
}

static int run(struct walk *w)
{
	int r = graph_weights(&w->weights, w->q, w->scratch);

	if (r < 0)
		return r;
	w->end = ARENA_ARRAY(w->arena, uint32_t,
			     w->q->profile->stacks.nodes.count);
	if (!w->end || !VEC_RESERVE(&w->g->nodes, w->arena, 1) ||
	    !VEC_RESERVE(&w->edge, w->scratch, 1))
		return -ENOMEM;
	w->g->nodes.count = 1;
	w->edge.count = 1;
	return walk_tree(w);
}

int calltree_make(struct graph *g, const struct graph_request *q,
		  uint32_t **ret_end, struct arena *arena)
{
	struct arena scratch = { 0 };
	struct walk w = { .q = q, .g = g, .arena = arena, .scratch = &scratch };
	int r;

	*g = (struct graph){ 0 };
	r = run(&w);
	arena_release(&scratch);
	if (r == 0 && ret_end)
		*ret_end = w.end;
	return r;
}

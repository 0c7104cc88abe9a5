/* SPDX-License-Identifier: MIT */
/*
 * Samples into a call tree: one node for each path of report entries.  Several
 * locations can be the same entry, so children are looked up by entry, not by
 * location, where there can be a choice; the plan tells where.  Recursion is
 * not merged.
 */
#include <errno.h>

#include "base/hash.h"
#include "profile/graph.h"
#include "profile/order.h"
#include "profile/treeplan.h"

struct walk {
	const struct graph_request *q;
	struct graph *g;
	struct arena *arena;	      /* for the tree */
	struct arena *scratch;	      /* for everything else */
	struct stack_weights weights; /* the request's, or made here */
	struct tree_plan plan;
	uint32_t *end;	    /* by stack: the tree node it ends in; 0: none */
	VEC(uint32_t) edge; /* by tree node: index + 1 of the edge to it */
	struct table index; /* (parent, entry) -> tree node */
};

/* An entry to be entered from its caller's node. */
struct step {
	uint32_t parent;
	node_id info;
	struct weight sum;
	bool inlined;
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

/* A new node for a step; 0: no memory. */
static uint32_t add_child(struct walk *w, const struct step *s)
{
	struct graph_node *n = VEC_PUSH(&w->g->nodes, w->arena);
	uint32_t *edge = VEC_PUSH(&w->edge, w->scratch);
	struct graph_edge *e;

	if (!n || !edge)
		return 0;
	n->info = s->info;
	weight_add(&n->cum, &n->cum_div, s->sum);
	*edge = 0;
	if (!s->parent)
		return w->g->nodes.count - 1;
	e = VEC_PUSH(&w->g->edges, w->arena);
	if (!e)
		return 0;
	e->from = s->parent;
	e->to = w->g->nodes.count - 1;
	e->inlined = s->inlined;
	weight_add(&e->weight, &e->weight_div, s->sum);
	*edge = w->g->edges.count;
	return e->to;
}

/* Adds a step to the node that it leads to; returns that. */
static uint32_t add_to(struct walk *w, uint32_t id, const struct step *s)
{
	struct graph_node *n = &w->g->nodes.at[id];

	weight_add(&n->cum, &n->cum_div, s->sum);
	if (w->edge.at[id]) {
		struct graph_edge *e = &w->g->edges.at[w->edge.at[id] - 1];

		weight_add(&e->weight, &e->weight_div, s->sum);
		e->inlined &= s->inlined;
	}
	return id;
}

/* The tree node that a step leads to, which may be there; 0: no memory. */
static uint32_t enter(struct walk *w, const struct step *s)
{
	uint32_t hash = hash_pair(s->parent, s->info);
	uint32_t id = find_child(w, hash, s->parent, s->info);

	if (id)
		return add_to(w, id, s);
	id = add_child(w, s);
	return id && table_add(&w->index, w->scratch, hash, id) ? id : 0;
}

/* Whether a node stands for others that were left out. */
static bool is_rest(const struct walk *w, uint32_t node)
{
	return node && !w->g->nodes.at[node].info;
}

/* Goes to what stands for all that is left out below; 0 or -ENOMEM. */
static int enter_rest(struct walk *w, uint32_t *at)
{
	/* Of roots nothing need be known. */
	if (!*at)
		return 0;
	*at = enter(w, &(struct step){ .parent = *at });
	if (!*at)
		return -ENOMEM;
	w->g->edges.at[w->edge.at[*at] - 1].removed = true;
	return 0;
}

/*
 * Goes along a run from *at as far as there are nodes.  Returns 1 at its end, 0
 * if the rest was left out, or -ENOMEM.
 */
static int enter_run(struct walk *w, uint32_t position, uint32_t *at)
{
	const frame_id *frames = w->q->profile->stacks.frames.at;
	const struct nodetab *nodes = w->q->nodes;
	const struct stack_node *run = &w->q->order->step[position];
	uint32_t kept = w->plan.kept ? w->plan.kept[position] : UINT32_MAX;
	uint32_t shared = w->plan.shared[position];
	struct step s = { .sum = stack_weight(&w->weights, position) };

	for (uint32_t f = run->first; f - run->first < run->length; f++) {
		uint32_t first = nodes->first[frames[f]];
		uint32_t last = nodes->first[frames[f] + 1] - 1;

		for (uint32_t i = last + 1; i-- > first; kept--) {
			if (!kept)
				return 0;
			s.parent = *at;
			s.info = nodes->ids.at[i];
			s.inlined = i != last;
			*at = shared ? enter(w, &s) : add_child(w, &s);
			if (!*at)
				return -ENOMEM;
			shared -= shared > 0;
		}
	}
	return 1;
}

static int enter_stack(struct walk *w, uint32_t position, uint32_t *at)
{
	struct weight sum = stack_weight(&w->weights, position);
	struct graph_node *end = &w->g->nodes.at[*at];
	int whole;

	weight_sub(&end->flat, &end->flat_div, sum);
	whole = enter_run(w, position, at);
	if (whole < 0)
		return whole;
	if (!whole)
		return enter_rest(w, at);
	end = &w->g->nodes.at[*at];
	weight_add(&end->flat, &end->flat_div, sum);
	return 0;
}

static int walk_tree(struct walk *w)
{
	const struct stack_order *o = w->q->order;

	for (uint32_t i = 1; i < o->count; i++) {
		uint32_t at = w->end[order_node(o, o->step[i].parent)];

		if (w->weights.any[i] && !is_rest(w, at) &&
		    enter_stack(w, i, &at) < 0)
			return -ENOMEM;
		w->end[order_node(o, i)] = at;
	}
	/* The root is no entry; what it was credited with means nothing. */
	w->g->nodes.at[0] = (struct graph_node){ 0 };
	return 0;
}

/* If nothing is left out, then neither is what has no value. */
static int make_plan(struct walk *w, uint64_t least)
{
	int r = graph_weights(&w->weights, w->q, w->scratch);

	if (r == 0)
		r = tree_plan_make(&w->plan, w->q, &w->weights, least,
				   w->scratch);
	if (r == 0 && least && !w->plan.left_out)
		r = tree_plan_make(&w->plan, w->q, &w->weights, 0, w->scratch);
	return r;
}

static int run(struct walk *w, uint64_t least)
{
	int r = make_plan(w, least);

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

int calltree_make(struct calltree *t, const struct graph_request *q,
		  uint64_t least, struct arena *arena)
{
	struct arena scratch = { 0 };
	struct walk w = {
		.q = q, .g = &t->graph, .arena = arena, .scratch = &scratch
	};
	int r;

	*t = (struct calltree){ 0 };
	r = run(&w, least);
	arena_release(&scratch);
	t->ends = w.end;
	t->left_out = w.plan.left_out;
	return r;
}

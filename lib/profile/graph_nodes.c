/* SPDX-License-Identifier: MIT */
/*
 * What each node of a call graph spends.  With the sums of all subtrees of the
 * stack tree at hand, one walk visits each run of frames once.  On the way down
 * a node is credited with the subtree's sum if it is not on the path yet, which
 * is how recursion counts only once.
 *
 * Most frames of a large profile are in runs that nothing continues.  What such
 * a run visits is marked with the run's number, which needs no undoing; only
 * runs with something below them are undone when they are left.  Numbers grow,
 * so a mark that is not below the present run's is of this run or of the path.
 */
#include <errno.h>

#include "profile/graph.h"
#include "profile/order.h"
#include "profile/visits.h"

/* The mark of nodes on the path from the root. */
#define ON_PATH UINT32_MAX

/* The part of a node that is touched for every frame: small, to stay near. */
struct tally {
	uint32_t mark;
	uint32_t cum[2]; /* a uint64_t, which would cost four bytes more */
};

struct walk {
	const struct graph_request *q;
	struct arena *scratch;
	struct stack_weights weights;
	struct visits visits;
	struct tally *tally;
	uint64_t *cum_div; /* by node; only for means */
	uint64_t *flat;	   /* by node */
	uint64_t *flat_div;
	node_id *end;	  /* by position: where the stack spends its own */
	uint32_t *height; /* by position: of undo when the run was left */
	VEC(node_id) undo;
};

static void add_to(struct tally *t, uint64_t value)
{
	uint64_t sum;

	__builtin_memcpy(&sum, t->cum, sizeof(sum));
	sum += value;
	__builtin_memcpy(t->cum, &sum, sizeof(sum));
}

static inline void credit(struct walk *w, node_id node, uint32_t mark,
			  struct weight sum)
{
	struct tally *t = &w->tally[node];

	if (t->mark >= mark)
		return;
	t->mark = mark;
	add_to(t, sum.value);
	if (w->cum_div)
		w->cum_div[node] += sum.div;
	/* There is room: see reserve_undo(). */
	if (mark == ON_PATH)
		w->undo.at[w->undo.count++] = node;
}

static inline void visit_run(struct walk *w, const frame_id *frames,
			     uint32_t count, uint32_t mark, struct weight sum)
{
	const uint32_t *word = w->visits.word;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t what = word[frames[i]];
		const uint32_t *list;

		if (!(what & VISIT_LIST)) {
			/* Node 0 takes what nobody is shown. */
			credit(w, what, mark, sum);
			continue;
		}
		list = visit_list(&w->visits, what);
		for (uint32_t n = 1; n <= list[0]; n++)
			credit(w, list[n], mark, sum);
	}
}

/* Makes room for all nodes of a run. */
static bool reserve_undo(struct walk *w, const frame_id *frames, uint32_t count)
{
	size_t most = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t what = w->visits.word[frames[i]];

		most += what & VISIT_LIST ? *visit_list(&w->visits, what) : 1;
	}
	return VEC_RESERVE(&w->undo, w->scratch, most);
}

static void undo_to(struct walk *w, uint32_t height)
{
	while (w->undo.count > height)
		w->tally[w->undo.at[--w->undo.count]].mark = 0;
}

static node_id innermost(const struct walk *w, const struct stack_node *n)
{
	const frame_id *frames = w->q->profile->stacks.frames.at + n->first;

	return visit_innermost(&w->visits,
			       w->visits.word[frames[n->length - 1]]);
}

/* What a subtree spends is not spent at its caller's end. */
static void credit_flat(struct walk *w, node_id from, node_id to,
			struct weight sum)
{
	w->flat[from] -= sum.value;
	w->flat[to] += sum.value;
	if (w->flat_div) {
		w->flat_div[from] -= sum.div;
		w->flat_div[to] += sum.div;
	}
}

static int walk_tree(struct walk *w)
{
	const struct stack_order *o = w->q->order;

	for (uint32_t i = 1; i < o->count; i++) {
		const struct stack_node *n = &o->step[i];
		const frame_id *frames = w->q->profile->stacks.frames.at +
					 n->first;
		struct weight sum = stack_weight(&w->weights, i);
		bool last = i + 1 == o->count || o->step[i + 1].parent != i;
		node_id end;

		order_ask_ahead(o, &w->q->profile->stacks, i);
		if (!w->weights.any[i])
			continue;
		undo_to(w, w->height[n->parent]);
		end = innermost(w, n);
		credit_flat(w, w->end[n->parent], end, sum);
		if (last) {
			visit_run(w, frames, n->length, i, sum);
			continue;
		}
		if (!reserve_undo(w, frames, n->length))
			return -ENOMEM;
		visit_run(w, frames, n->length, ON_PATH, sum);
		w->end[i] = end;
		w->height[i] = w->undo.count;
	}
	return 0;
}

static int prepare(struct walk *w)
{
	const struct graph_request *q = w->q;
	uint32_t stacks = q->order->count;
	uint32_t nodes = q->nodes->info.count;

	w->tally = ARENA_ARRAY(w->scratch, struct tally, nodes);
	w->flat = ARENA_ARRAY(w->scratch, uint64_t, nodes);
	if (q->value.mean) {
		w->cum_div = ARENA_ARRAY(w->scratch, uint64_t, nodes);
		w->flat_div = ARENA_ARRAY(w->scratch, uint64_t, nodes);
	}
	w->end = ARENA_ARRAY(w->scratch, node_id, stacks);
	w->height = ARENA_ARRAY(w->scratch, uint32_t, stacks);
	if (w->scratch->failed)
		return -ENOMEM;
	return visits_make(&w->visits, q->nodes, q->profile->locations.count,
			   q->kept, w->scratch);
}

static int give(const struct walk *w, struct graph *g, struct arena *arena)
{
	uint32_t nodes = w->q->nodes->info.count;

	if (!VEC_RESERVE(&g->nodes, arena, nodes))
		return -ENOMEM;
	g->nodes.count = nodes;
	for (node_id i = 0; i < nodes; i++) {
		struct graph_node *n = &g->nodes.at[i];

		n->info = i;
		if (!i)
			continue; /* the one that took the rest */
		__builtin_memcpy(&n->cum, w->tally[i].cum, sizeof(n->cum));
		n->flat = (int64_t)w->flat[i];
		n->cum_div = w->cum_div ? (int64_t)w->cum_div[i] : 0;
		n->flat_div = w->flat_div ? (int64_t)w->flat_div[i] : 0;
	}
	return 0;
}

int graph_add_nodes(struct graph *g, const struct graph_request *q,
		    struct arena *arena)
{
	struct arena scratch = { 0 };
	struct walk w = { .q = q, .scratch = &scratch };
	int r = prepare(&w);

	if (r == 0)
		r = graph_weights(&w.weights, q, &scratch);
	if (r == 0)
		r = walk_tree(&w);
	if (r == 0)
		r = give(&w, g, arena);
	arena_release(&scratch);
	return r;
}

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
 *
 * The walk can be cut into parts for several workers: a part begins by marking
 * the path to where it starts, and what the parts found is added up.
 */
#include <errno.h>

#include "base/workers.h"
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

/* What all parts share. */
struct shared {
	const struct graph_request *q;
	struct stack_weights weights;
	struct visits visits;
	struct walk *parts;
	unsigned part_count;
};

struct walk {
	const struct graph_request *q;
	struct arena scratch;
	struct stack_weights weights;
	struct visits visits;
	int result;
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
	return VEC_RESERVE(&w->undo, &w->scratch, most);
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

/* Enters a run that others continue; they undo it. */
static int enter_run(struct walk *w, uint32_t position, struct weight sum)
{
	const struct stack_node *n = &w->q->order->step[position];
	const frame_id *frames = w->q->profile->stacks.frames.at + n->first;

	if (!reserve_undo(w, frames, n->length))
		return -ENOMEM;
	visit_run(w, frames, n->length, ON_PATH, sum);
	w->end[position] = innermost(w, n);
	w->height[position] = w->undo.count;
	return 0;
}

/* Marks the path to a position, whose runs are credited elsewhere. */
static int follow_path(struct walk *w, uint32_t position)
{
	uint32_t *callers;
	int64_t count = order_callers(w->q->order, position, &w->scratch,
				      &callers);
	int r = count < 0 ? -ENOMEM : 0;

	for (int64_t i = 0; i < count && r == 0; i++)
		r = enter_run(w, callers[i], (struct weight){ 0 });
	return r;
}

static int walk_part(struct walk *w, uint32_t begin, uint32_t end)
{
	const struct stack_order *o = w->q->order;
	int r = begin < end ? follow_path(w, begin) : 0;

	for (uint32_t i = begin; i < end && r == 0; i++) {
		const struct stack_node *n = &o->step[i];
		struct weight sum = stack_weight(&w->weights, i);
		bool last = i + 1 == o->count || o->step[i + 1].parent != i;

		order_ask_ahead(o, &w->q->profile->stacks, i);
		if (!w->weights.any[i])
			continue;
		undo_to(w, w->height[n->parent]);
		credit_flat(w, w->end[n->parent], innermost(w, n), sum);
		if (last)
			visit_run(w, w->q->profile->stacks.frames.at + n->first,
				  n->length, i, sum);
		else
			r = enter_run(w, i, sum);
	}
	return r;
}

static int prepare(struct walk *w)
{
	const struct graph_request *q = w->q;
	uint32_t stacks = q->order->count;
	uint32_t nodes = q->nodes->info.count;
	struct arena *scratch = &w->scratch;

	w->tally = ARENA_ARRAY(scratch, struct tally, nodes);
	w->flat = ARENA_ARRAY(scratch, uint64_t, nodes);
	if (q->value.mean) {
		w->cum_div = ARENA_ARRAY(scratch, uint64_t, nodes);
		w->flat_div = ARENA_ARRAY(scratch, uint64_t, nodes);
	}
	w->end = ARENA_ARRAY(scratch, node_id, stacks);
	w->height = ARENA_ARRAY(scratch, uint32_t, stacks);
	return scratch->failed ? -ENOMEM : 0;
}

static void run_part(void *context, unsigned number)
{
	struct shared *s = context;
	struct walk *w = &s->parts[number];
	uint32_t count = s->q->order->count;

	*w = (struct walk){ .q = s->q,
			    .weights = s->weights,
			    .visits = s->visits };
	w->result = prepare(w);
	if (w->result == 0)
		w->result = walk_part(
			w, graph_part_start(count, number, s->part_count),
			graph_part_start(count, number + 1, s->part_count));
}

static void add_part(struct graph *g, const struct walk *w)
{
	/* Node 0 took what nobody is shown. */
	for (node_id i = 1; i < g->nodes.count; i++) {
		struct graph_node *n = &g->nodes.at[i];
		struct weight cum = { 0 };
		struct weight flat = { w->flat[i],
				       w->flat_div ? w->flat_div[i] : 0 };

		__builtin_memcpy(&cum.value, w->tally[i].cum,
				 sizeof(cum.value));
		cum.div = w->cum_div ? w->cum_div[i] : 0;
		weight_add(&n->cum, &n->cum_div, cum);
		weight_add(&n->flat, &n->flat_div, flat);
	}
}

static int give(const struct shared *s, struct graph *g, struct arena *arena)
{
	uint32_t nodes = s->q->nodes->info.count;
	int r = 0;

	g->nodes.count = 0;
	if (!VEC_RESERVE(&g->nodes, arena, nodes))
		return -ENOMEM;
	g->nodes.count = nodes;
	for (node_id i = 0; i < nodes; i++)
		g->nodes.at[i] = (struct graph_node){ .info = i };
	for (unsigned i = 0; i < s->part_count; i++) {
		if (s->parts[i].result < 0)
			r = s->parts[i].result;
		else
			add_part(g, &s->parts[i]);
	}
	return r;
}

int graph_add_nodes(struct graph *g, const struct graph_request *q,
		    struct arena *arena)
{
	struct arena scratch = { 0 };
	struct walk parts[WORKERS_MAX];
	struct shared s = { .q = q,
			    .parts = parts,
			    .part_count = workers_parts(q->workers) };
	int r = visits_make(&s.visits, q->nodes, q->profile->locations.count,
			    q->kept, &scratch);

	if (r == 0)
		r = graph_weights(&s.weights, q, &scratch);
	if (r == 0) {
		workers_run(q->workers, run_part, &s);
		r = give(&s, g, arena);
		for (unsigned i = 0; i < s.part_count; i++)
			arena_release(&parts[i].scratch);
	}
	arena_release(&scratch);
	return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * Which of the edges that nothing tells apart samples have first.  It is asked
 * only where weights are below 0, so the samples are gone through once more for
 * it.
 */
#include "profile/edge_ties.h"

#include <errno.h>

#include "base/hash.h"
#include "base/table.h"
#include "profile/graph_order.h"
#include "profile/graph_walk.h"
#include "profile/profile.h"

enum {
	/* Go keeps so many in the order they came; more, in none. */
	FEW = 8,
	/* More would take as long as the report. */
	MOST_FRAMES = 1 << 20,
};

struct ties {
	const struct trimmed *t;
	const struct edge_index *index;
	struct arena arena;
	struct table edges; /* (from, to) -> 1 + edge, of those in question */
	uint32_t *met;	    /* by edge: when; 0: not yet */
	uint32_t now;
	struct visits visits;
	uint32_t *after; /* by stack_id: 1 + the node that it ends in; 0: it was
			    in no sample */
	VEC(stack_id) runs; /* of one stack, the last first */
};

/* Edges of one node from the i-th on that weigh the same, whatever the sign. */
static uint32_t run_length(const struct ties *x, const uint32_t *ids,
			   uint32_t count, bool *ret_tie)
{
	const struct graph_edge *edges = x->t->graph.edges.at;
	uint32_t n = 1;

	*ret_tie = false;
	for (; n < count; n++) {
		int64_t a = edges[ids[0]].weight, b = edges[ids[n]].weight;

		if (magnitude(a) != magnitude(b))
			break;
		*ret_tie |= a != b;
	}
	return n;
}

static uint32_t find_edge(const struct ties *x, uint32_t from, uint32_t to)
{
	const struct graph_edge *edges = x->t->graph.edges.at;
	uint32_t hash = hash_pair(from, to);
	uint32_t i = table_start(&x->edges, hash);
	uint32_t id;

	for (; (id = table_id(&x->edges, i, hash)) != TABLE_END;
	     i = table_next(&x->edges, i))
		if (id && edges[id - 1].from == from && edges[id - 1].to == to)
			return id;
	return 0;
}

static int ask_for(struct ties *x, uint32_t *ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct graph_edge *e = &x->t->graph.edges.at[ids[i]];

		if (!table_add(&x->edges, &x->arena, hash_pair(e->from, e->to),
			       ids[i] + 1))
			return -ENOMEM;
	}
	return 0;
}

/* Calls what with each run of edges that are equals to pprof. */
static int each_tie(struct ties *x,
		    int (*what)(struct ties *x, uint32_t *ids, uint32_t count))
{
	const uint32_t *first = x->index->first;
	int r = 0;

	for (uint32_t n = 1; n < x->t->graph.nodes.count && r == 0; n++) {
		uint32_t end = first[n + 1];
		uint32_t run;
		bool tie;

		if (end - first[n] > FEW)
			continue;
		for (uint32_t i = first[n]; i < end && r == 0; i += run) {
			run = run_length(x, x->index->ids + i, end - i, &tie);
			if (tie)
				r = what(x, x->index->ids + i, run);
		}
	}
	return r;
}

static void meet(struct ties *x, node_id *caller, node_id node)
{
	uint32_t edge = 0;

	if (!node)
		return;
	if (*caller && *caller != node)
		edge = find_edge(x, *caller, node);
	if (edge && !x->met[edge - 1])
		x->met[edge - 1] = ++x->now;
	*caller = node;
}

static void meet_location(struct ties *x, node_id *caller, struct visit at)
{
	const uint32_t *list;

	meet(x, caller, at.outer);
	if (!(at.inner & VISIT_LIST)) {
		meet(x, caller, at.inner);
		return;
	}
	list = visit_list(&x->visits, at.inner);
	for (uint32_t i = 1; i <= list[0]; i++)
		meet(x, caller, list[i]);
}

static void meet_run(struct ties *x, stack_id stack, node_id *caller)
{
	const struct stacktab *stacks = &x->t->request->profile->stacks;
	const struct stack_node *run = &stacks->nodes.at[stack];
	const frame_id *frames = stacks->frames.at + run->first;

	for (uint32_t i = 0; i < run->length; i++)
		meet_location(x, caller, x->visits.at[frames[i]]);
	x->after[stack] = 1 + *caller;
}

/* What of a stack no sample had before. */
static int meet_stack(struct ties *x, stack_id stack)
{
	const struct stacktab *stacks = &x->t->request->profile->stacks;
	node_id caller;

	x->runs.count = 0;
	while (stack && !x->after[stack]) {
		stack_id *run = VEC_PUSH(&x->runs, &x->arena);

		if (!run)
			return -ENOMEM;
		*run = stack;
		stack = stacks->nodes.at[stack].parent;
	}
	caller = stack ? x->after[stack] - 1 : 0;
	while (x->runs.count)
		meet_run(x, x->runs.at[--x->runs.count], &caller);
	return 0;
}

static bool counts(const struct graph_request *q, uint32_t sample)
{
	const int64_t *values = profile_values(q->profile, sample);

	return values[q->value.index] || (q->value.mean && values[0]);
}

static int meet_samples(struct ties *x)
{
	const struct graph_request *q = x->t->request;
	const struct profile *p = q->profile;
	int r = 0;

	x->met = ARENA_ARRAY(&x->arena, uint32_t, x->t->graph.edges.count);
	x->after = ARENA_ARRAY(&x->arena, uint32_t, p->stacks.nodes.count);
	if (!x->met || !x->after ||
	    visits_make(&x->visits, q->nodes, p->locations.count, x->t->kept,
			&x->arena) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count && r == 0; i++) {
		if (!graph_may_go_on(q, i))
			return -ECANCELED;
		if (x->now < x->edges.count && counts(q, i))
			r = meet_stack(x, p->stack[i]);
	}
	return r;
}

/* As Go inserts them one after the other: before those of the same weight that
 * come after it by name. */
static bool goes_before(const struct ties *x, uint32_t a, uint32_t b)
{
	const struct graph_edge *edges = x->t->graph.edges.at;

	return edges[a].weight == edges[b].weight &&
	       graph_edge_before(x->t, a, b);
}

static bool met_before(const struct ties *x, uint32_t a, uint32_t b)
{
	return x->met[a] < x->met[b];
}

static void insert_each(const struct ties *x, uint32_t *ids, uint32_t count,
			bool (*before)(const struct ties *x, uint32_t a,
				       uint32_t b))
{
	for (uint32_t i = 1; i < count; i++) {
		for (uint32_t j = i; j && before(x, ids[j], ids[j - 1]); j--) {
			uint32_t id = ids[j];

			ids[j] = ids[j - 1];
			ids[j - 1] = id;
		}
	}
}

static int put_in_order(struct ties *x, uint32_t *ids, uint32_t count)
{
	insert_each(x, ids, count, met_before);
	insert_each(x, ids, count, goes_before);
	return 0;
}

/* Whether there may be ties, and few enough frames to see which come first. */
static bool may_tie(const struct trimmed *t)
{
	const struct graph *g = &t->graph;

	if (t->request->profile->stacks.frames.count > MOST_FRAMES)
		return false;
	for (uint32_t i = 0; i < g->edges.count; i++)
		if (g->edges.at[i].weight < 0)
			return true;
	return false;
}

int edge_ties_settle(const struct trimmed *t, const struct edge_index *index)
{
	struct ties x = { .t = t, .index = index };
	int r = 0;

	if (!may_tie(t))
		return 0;
	r = each_tie(&x, ask_for);
	if (r == 0 && x.edges.count)
		r = meet_samples(&x);
	if (r == 0 && x.edges.count)
		r = each_tie(&x, put_in_order);
	arena_release(&x.arena);
	return r;
}

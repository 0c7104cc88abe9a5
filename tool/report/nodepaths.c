/* SPDX-License-Identifier: MIT */
/* See nodepaths.h. */
#include "report/nodepaths.h"

#include <errno.h>

#include "profile/order.h"

struct maker {
	struct node_paths *x;
	const struct trimmed *t;
	const uint32_t *chosen;
	struct arena *arena;
	uint64_t *matters; /* a bit a location: one of its nodes was chosen */
};

/* 0: out of memory. */
static uint32_t add_step(struct maker *m, uint32_t caller, uint32_t chosen)
{
	struct path_step *step = VEC_PUSH(&m->x->steps, m->arena);

	if (!step)
		return 0;
	*step = (struct path_step){ caller, chosen };
	return m->x->steps.count - 1;
}

static bool is_on_path(const struct node_paths *x, uint32_t step,
		       uint32_t chosen)
{
	while (step && x->steps.at[step].chosen != chosen)
		step = x->steps.at[step].caller;
	return step != 0;
}

/* Goes on from *step through a location; false: out of memory. */
static bool visit(struct maker *m, location_id l, uint32_t *step)
{
	const struct nodetab *nodes = m->t->request->nodes;

	/* The outermost is the last. */
	for (uint32_t k = nodes->first[l + 1]; k-- > nodes->first[l];) {
		uint32_t chosen = m->chosen[nodes->ids.at[k]];

		if (!chosen || is_on_path(m->x, *step, chosen))
			continue;
		*step = add_step(m, *step, chosen);
		if (!*step)
			return false;
	}
	return true;
}

static bool matters(const struct maker *m, location_id l)
{
	return m->matters[l / 64] >> (l % 64) & 1;
}

static int walk_stacks(struct maker *m)
{
	const struct graph_request *q = m->t->request;
	const struct stacktab *stacks = &q->profile->stacks;

	for (uint32_t i = 1; i < q->order->count; i++) {
		const struct stack_node *run = &q->order->step[i];
		const frame_id *frames = stacks->frames.at + run->first;
		stack_id stack = order_node(q->order, i);
		uint32_t step = m->x->last[order_node(q->order, run->parent)];
		node_id end;

		order_ask_ahead(q->order, stacks, i);
		for (uint32_t f = 0; f < run->length; f++)
			if (matters(m, frames[f]) &&
			    !visit(m, frames[f], &step))
				return -ENOMEM;
		end = q->nodes->ids
			      .at[q->nodes->first[frames[run->length - 1]]];
		m->x->last[stack] = step;
		m->x->own[stack] = m->chosen[end];
	}
	return 0;
}

static int find_what_matters(struct maker *m, struct arena *scratch)
{
	const struct graph_request *q = m->t->request;
	uint32_t locations = q->profile->locations.count;

	m->matters = ARENA_ARRAY(scratch, uint64_t, locations / 64 + 1);
	if (!m->matters)
		return -ENOMEM;
	for (location_id l = 1; l < locations; l++)
		for (uint32_t k = q->nodes->first[l];
		     k < q->nodes->first[l + 1]; k++)
			if (m->chosen[q->nodes->ids.at[k]])
				m->matters[l / 64] |= (uint64_t)1 << (l % 64);
	return 0;
}

/* Nodes come after their callers, which their edges tell. */
static int follow_tree(struct maker *m, struct arena *scratch)
{
	const struct graph *g = &m->t->graph;
	uint32_t *step = ARENA_ARRAY(scratch, uint32_t, g->nodes.count);
	uint32_t *caller = ARENA_ARRAY(scratch, uint32_t, g->nodes.count);

	if (!step || !caller)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->edges.count; i++)
		caller[g->edges.at[i].to] = g->edges.at[i].from;
	for (uint32_t i = 1; i < g->nodes.count; i++) {
		step[i] = step[caller[i]];
		if (!m->chosen[i])
			continue;
		step[i] = add_step(m, step[i], m->chosen[i]);
		if (!step[i])
			return -ENOMEM;
	}
	for (uint32_t i = 1; i < m->t->request->profile->stacks.nodes.count;
	     i++) {
		m->x->last[i] = step[m->t->ends[i]];
		m->x->own[i] = m->chosen[m->t->ends[i]];
	}
	return 0;
}

int node_paths_make(struct node_paths *x, const struct trimmed *t,
		    const uint32_t *chosen, struct arena *arena)
{
	struct maker m = { x, t, chosen, arena, NULL };
	uint32_t stacks = t->request->profile->stacks.nodes.count;
	struct arena scratch = { 0 };
	int r;

	*x = (struct node_paths){ 0 };
	x->last = ARENA_ARRAY(arena, uint32_t, stacks);
	x->own = ARENA_ARRAY(arena, uint32_t, stacks);
	(void)VEC_PUSH(&x->steps, arena);
	if (arena->failed)
		return -ENOMEM;
	if (t->ends) {
		r = follow_tree(&m, &scratch);
	} else {
		r = find_what_matters(&m, &scratch);
		if (r == 0)
			r = walk_stacks(&m);
	}
	arena_release(&scratch);
	return r;
}

/* SPDX-License-Identifier: MIT */
/* In which order a node's edges are shown, and which say nothing new. */
#include <errno.h>

#include "base/idsort.h"
#include "base/workers.h"
#include "profile/edge_ties.h"
#include "profile/graph_order.h"
#include "profile/graph_walk.h"

bool graph_edge_before(const void *context, uint32_t a, uint32_t b)
{
	const struct trimmed *t = context;
	const struct graph_edge *x = &t->graph.edges.at[a];
	const struct graph_edge *y = &t->graph.edges.at[b];
	int64_t wa = magnitude(x->weight), wb = magnitude(y->weight);
	int order;

	if (wa != wb)
		return wa > wb;
	order = graph_compare_names(t, x->from, y->from);
	if (!order)
		order = graph_compare_names(t, x->to, y->to);
	if (!order && x->weight != y->weight)
		order = x->weight > y->weight ? -1 : 1;
	return order < 0;
}

/* For each entry; from here on it pays to know the order of all names. */
enum { MANY_EDGES = 2 };

/* Fills first[] so that node n's edges are ids[first[n]] to ids[first[n+1]]. */
static void place_edges(const struct trimmed *t, uint32_t *first, uint32_t *ids,
			bool by_target)
{
	const struct graph_edge *edges = t->graph.edges.at;
	uint32_t count = t->graph.edges.count;
	uint32_t nodes = t->graph.nodes.count;

	for (uint32_t i = 0; i < count; i++)
		first[(by_target ? edges[i].to : edges[i].from) + 2]++;
	for (uint32_t i = 2; i < nodes + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < count; i++)
		ids[first[(by_target ? edges[i].to : edges[i].from) + 1]++] = i;
}

struct sorter {
	const struct trimmed *t;
	const struct edge_index *index;
	uint32_t *scratch; /* as many as edges */
	unsigned parts;
};

/* Node by node: many small sorts cost less than one large. */
static void sort_part(void *context, unsigned number)
{
	const struct sorter *s = context;
	const uint32_t *first = s->index->first;
	uint64_t nodes = s->t->graph.nodes.count;
	uint32_t begin = (uint32_t)(nodes * number / s->parts);
	uint32_t end = (uint32_t)(nodes * (number + 1) / s->parts);

	for (uint32_t n = begin; n < end; n++) {
		/* What was begun is finished, but there may be a rest. */
		(void)graph_may_go_on(s->t->request, n);
		sort_ids(s->index->ids + first[n], s->scratch + first[n],
			 first[n + 1] - first[n], graph_edge_before, s->t);
	}
}

static void sort_edges(const struct trimmed *t, const struct edge_index *index,
		       uint32_t *scratch)
{
	/* Names are made while they are compared, unless they have ranks. */
	const struct workers *team = t->ranks ? t->request->workers : NULL;
	struct sorter s = { t, index, scratch, workers_parts(team) };

	workers_run(team, sort_part, &s);
}

/* Lists each node's edges, from it or to it.  Returns 0, -ENOMEM or
 * -ECANCELED. */
static int link_edges(const struct trimmed *t, struct edge_index *index,
		      bool by_target, bool in_order, struct arena *arena)
{
	uint32_t count = t->graph.edges.count;
	size_t firsts = (size_t)t->graph.nodes.count + 2;
	uint32_t *scratch;

	index->ids = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
	index->first = ARENA_ARRAY(arena, uint32_t, firsts);
	if (!index->ids || !index->first)
		return -ENOMEM;
	place_edges(t, index->first, index->ids, by_target);
	if (!in_order)
		return 0;
	scratch = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
	if (!scratch)
		return -ENOMEM;
	sort_edges(t, index, scratch);
	if (arena->failed)
		return -ENOMEM;
	return t->ends ? 0 : edge_ties_settle(t, index);
}

int graph_link_edges(struct trimmed *t, unsigned lists, struct arena *arena)
{
	bool in_order = lists & LIST_IN_ORDER;
	int r = 0;

	t->out = (struct edge_index){ 0 };
	t->in = (struct edge_index){ 0 };
	if (in_order && !t->ranks &&
	    t->graph.edges.count / MANY_EDGES > t->request->nodes->info.count)
		r = graph_rank_names(t, arena);
	if (r == 0 && !graph_may_go_on(t->request, 0))
		r = -ECANCELED;
	if (r == 0 && lists & LIST_CALLEES)
		r = link_edges(t, &t->out, false, in_order, arena);
	if (r == 0 && lists & LIST_CALLERS)
		r = link_edges(t, &t->in, true, in_order, arena);
	return r;
}

static struct edge_list list_of(const struct edge_index *index, uint32_t node)
{
	uint32_t first = index->first[node];

	return (struct edge_list){ index->ids + first,
				   index->first[node + 1] - first };
}

struct edge_list edges_out(const struct trimmed *t, uint32_t node)
{
	return list_of(&t->out, node);
}

struct edge_list edges_in(const struct trimmed *t, uint32_t node)
{
	return list_of(&t->in, node);
}

struct search {
	const struct trimmed *t;
	uint32_t *queue;
	uint32_t *seen; /* by node: the search it was last seen in */
	uint32_t round;
};

/* Whether edge's target is reached from its source without it. */
static bool is_redundant(struct search *s, uint32_t edge)
{
	const struct graph_edge *edges = s->t->graph.edges.at;
	uint32_t head = 0, tail = 0;

	s->round++;
	s->seen[edges[edge].to] = s->round;
	s->queue[tail++] = edges[edge].to;
	while (head < tail) {
		struct edge_list in = edges_in(s->t, s->queue[head++]);

		for (uint32_t i = 0; i < in.count; i++) {
			uint32_t from = edges[in.at[i]].from;

			if (edges[in.at[i]].removed || in.at[i] == edge ||
			    s->seen[from] == s->round)
				continue;
			if (from == edges[edge].from)
				return true;
			s->seen[from] = s->round;
			s->queue[tail++] = from;
		}
	}
	return false;
}

int graph_drop_redundant(struct trimmed *t, struct arena *arena)
{
	uint32_t count = t->graph.nodes.count;
	struct search s = {
		.t = t,
		.queue = ARENA_ARRAY(arena, uint32_t, count),
		.seen = ARENA_ARRAY(arena, uint32_t, count),
	};

	if (!s.queue || !s.seen)
		return -ENOMEM;
	for (uint32_t i = t->shown_count; i-- > 0;) {
		struct edge_list in = edges_in(t, t->shown[i]);

		for (uint32_t j = in.count; j-- > 0;) {
			struct graph_edge *e = &t->graph.edges.at[in.at[j]];

			if (e->removed)
				continue;
			/* Nothing heavier than a real edge is taken away. */
			if (!e->residual)
				break;
			if (is_redundant(&s, in.at[j]))
				e->removed = true;
		}
	}
	return 0;
}

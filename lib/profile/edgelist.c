/* SPDX-License-Identifier: MIT */
/*
 * From hash tables, whose order means nothing, to one list.  Most nodes have a
 * handful of callees, so edges are put with those of the same caller first and
 * then sorted and added up where they are.
 *
 * Each worker does so for a share of the callers, from all tables.
 */
#include "profile/edgelist.h"

#include <errno.h>
#include <string.h>

#include "base/sort.h"
#include "base/workers.h"
#include "profile/edgetab.h"
#include "profile/graph.h"

enum { HANDFUL = 24 };

struct share {
	node_id begin; /* these callers */
	node_id end;
	struct arena scratch;
	struct edge_visit *edges;
	uint32_t count; /* of them, once each */

	/* To sort the callees of the caller that has most. */
	uint32_t most;
	struct sort_item *items;
	struct edge_visit *copy;

	struct graph_edge *list;
	int result;
	WORKERS_APART;
};

struct lister {
	const struct edgelist_request *q;
	uint32_t *count;  /* by caller: its edges */
	uint32_t *places; /* by caller: where they end in its share */
	struct share share[WORKERS_MAX];
};

static bool is_of(const struct share *s, node_id caller)
{
	return caller >= s->begin && caller < s->end;
}

static void count_edges(struct lister *l, const struct share *s,
			const struct edgetab *t)
{
	for (uint32_t i = 0; i <= t->mask; i++) {
		node_id from = edge_from(t->slots[i].edge);

		/* In an empty slot it is 0, which is nobody's. */
		if (is_of(s, from))
			l->count[from]++;
	}
}

/* Finds where the edges of each caller go; returns how many there are. */
static uint32_t find_places(struct lister *l, struct share *s)
{
	uint32_t sum = 0;

	for (node_id n = s->begin; n < s->end; n++) {
		l->places[n] = sum;
		sum += l->count[n];
		if (l->count[n] > s->most)
			s->most = l->count[n];
	}
	return sum;
}

static void place_edges(struct lister *l, const struct share *s,
			const struct edgetab *t)
{
	for (uint32_t i = 0; i <= t->mask; i++) {
		uint64_t edge = t->slots[i].edge;
		node_id from = edge_from(edge);

		if (is_of(s, from))
			s->edges[l->places[from]++] = (struct edge_visit){
				edge, edgetab_sum(t, i)
			};
	}
}

static void sort_handful(struct edge_visit *edges, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct edge_visit e = edges[i];
		uint32_t at = i;

		for (; at && edge_to(edges[at - 1].edge) > edge_to(e.edge);
		     at--)
			edges[at] = edges[at - 1];
		edges[at] = e;
	}
}

static void sort_many(struct share *s, struct edge_visit *edges, uint32_t count)
{
	memcpy(s->copy, edges, count * sizeof(*edges));
	for (uint32_t i = 0; i < count; i++)
		s->items[i] = (struct sort_item){ edge_to(edges[i].edge), i,
						  0 };
	sort_items(s->items, s->items + s->most, count);
	for (uint32_t i = 0; i < count; i++)
		edges[i] = s->copy[s->items[i].id];
}

/* Appends sorted edges to the share, once each. */
static void add_up(struct share *s, const struct edge_visit *edges,
		   uint32_t count)
{
	struct edge_visit *last = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (!last || edge_to(last->edge) != edge_to(edges[i].edge)) {
			last = &s->edges[s->count++];
			*last = edges[i];
			continue;
		}
		last->edge |= edges[i].edge;
		last->sum.value += edges[i].sum.value;
		last->sum.div += edges[i].sum.div;
	}
}

static void sort_all(struct lister *l, struct share *s)
{
	for (node_id n = s->begin; n < s->end; n++) {
		uint32_t count = l->count[n];
		struct edge_visit *edges = s->edges + l->places[n] - count;

		if (count > HANDFUL)
			sort_many(s, edges, count);
		else
			sort_handful(edges, count);
		/* To the left of where they are, if anywhere. */
		add_up(s, edges, count);
	}
}

static int make_room(struct share *s, uint32_t total)
{
	struct arena *scratch = &s->scratch;

	s->edges = ARENA_ARRAY(scratch, struct edge_visit, total);
	s->items = ARENA_ARRAY(scratch, struct sort_item, 2 * (size_t)s->most);
	s->copy = ARENA_ARRAY(scratch, struct edge_visit, s->most);
	return scratch->failed ? -ENOMEM : 0;
}

static int gather_share(struct lister *l, struct share *s)
{
	const struct edgelist_request *q = l->q;

	for (unsigned i = 0; i < q->table_count; i++)
		count_edges(l, s, q->tables[i]);
	if (make_room(s, find_places(l, s)) < 0)
		return -ENOMEM;
	for (unsigned i = 0; i < q->table_count; i++) {
		if (!graph_pacer_ask(q->pacer))
			return -ECANCELED;
		place_edges(l, s, q->tables[i]);
	}
	if (!graph_pacer_ask(q->pacer))
		return -ECANCELED;
	sort_all(l, s);
	return 0;
}

static void gather(void *context, unsigned worker)
{
	struct lister *l = context;

	l->share[worker].result = gather_share(l, &l->share[worker]);
}

static void write_list(void *context, unsigned worker)
{
	struct lister *l = context;
	struct share *s = &l->share[worker];

	for (uint32_t i = 0; i < s->count; i++) {
		const struct edge_visit *e = &s->edges[i];

		s->list[i] = (struct graph_edge){
			.from = edge_from(e->edge),
			.to = edge_to(e->edge),
			.weight = (int64_t)e->sum.value,
			.weight_div = (int64_t)e->sum.div,
			.residual = e->edge & EDGE_RESIDUAL,
			.inlined = !(e->edge & EDGE_REAL),
		};
	}
}

/* Node 0 calls nobody. */
static void share_out(struct lister *l, unsigned parts)
{
	uint64_t callers = l->q->nodes - 1;

	for (unsigned i = 0; i < parts; i++) {
		l->share[i].begin = 1 + (node_id)(callers * i / parts);
		l->share[i].end = 1 + (node_id)(callers * (i + 1) / parts);
	}
}

static int write_lists(struct lister *l, struct graph *g, unsigned parts,
		       struct arena *arena)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < parts; i++) {
		if (l->share[i].result < 0)
			return l->share[i].result;
		total += l->share[i].count;
	}
	if (total > UINT32_MAX ||
	    !VEC_RESERVE(&g->edges, arena, (uint32_t)total))
		return -ENOMEM;
	for (unsigned i = 0; i < parts; i++) {
		l->share[i].list = g->edges.at + g->edges.count;
		g->edges.count += l->share[i].count;
	}
	workers_run(l->q->workers, write_list, l);
	return 0;
}

int edgelist_make(struct graph *g, const struct edgelist_request *q,
		  struct arena *arena)
{
	struct arena scratch = { 0 };
	unsigned parts = workers_parts(q->workers);
	struct lister l = {
		.q = q,
		.count = ARENA_ARRAY(&scratch, uint32_t, q->nodes),
		.places = ARENA_ARRAY(&scratch, uint32_t, q->nodes),
	};
	int r = -ENOMEM;

	g->edges.count = 0;
	if (l.count && l.places) {
		share_out(&l, parts);
		workers_run(q->workers, gather, &l);
		r = write_lists(&l, g, parts, arena);
	}
	for (unsigned i = 0; i < parts; i++)
		arena_release(&l.share[i].scratch);
	arena_release(&scratch);
	return r;
}

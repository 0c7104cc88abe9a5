/* SPDX-License-Identifier: MIT */
/*
 * From a hash table, whose order means nothing, to a list.  Most nodes have a
 * handful of callees, so edges are put with those of the same caller first and
 * then sorted where they are.
 */
#include "profile/edgelist.h"

#include <errno.h>
#include <string.h>

#include "base/sort.h"
#include "profile/edgetab.h"
#include "profile/graph.h"

enum { HANDFUL = 24 };

static struct graph_edge finished(const struct edgetab *t, uint32_t slot)
{
	uint64_t edge = t->slots[slot].edge;
	struct weight sum = edgetab_sum(t, slot);

	return (struct graph_edge){
		.from = edge_from(edge),
		.to = edge_to(edge),
		.weight = (int64_t)sum.value,
		.weight_div = (int64_t)sum.div,
		.residual = edge & EDGE_RESIDUAL,
		.inlined = !(edge & EDGE_REAL),
	};
}

/* Puts edges where those of their caller go; end[n] is where n's end. */
static void place(struct graph_edge *edges, uint32_t *end,
		  const struct edgetab *t, uint32_t nodes)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i <= t->mask; i++)
		if (t->slots[i].edge)
			end[edge_from(t->slots[i].edge)]++;
	for (uint32_t n = 0; n < nodes; n++) {
		uint32_t count = end[n];

		end[n] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i <= t->mask; i++)
		if (t->slots[i].edge)
			edges[end[edge_from(t->slots[i].edge)]++] = finished(t,
									     i);
}

static void sort_handful(struct graph_edge *edges, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct graph_edge e = edges[i];
		uint32_t at = i;

		for (; at && edges[at - 1].to > e.to; at--)
			edges[at] = edges[at - 1];
		edges[at] = e;
	}
}

static int sort_many(struct graph_edge *edges, uint32_t count)
{
	struct arena scratch = { 0 };
	struct sort_item *items = ARENA_ARRAY(&scratch, struct sort_item,
					      2 * (size_t)count);
	struct graph_edge *copy = ARENA_ARRAY(&scratch, struct graph_edge,
					      count);
	int r = items && copy ? 0 : -ENOMEM;

	if (r == 0) {
		memcpy(copy, edges, count * sizeof(*edges));
		for (uint32_t i = 0; i < count; i++)
			items[i] = (struct sort_item){ edges[i].to, i, 0 };
		sort_items(items, items + count, count);
		for (uint32_t i = 0; i < count; i++)
			edges[i] = copy[items[i].id];
	}
	arena_release(&scratch);
	return r;
}

static int sort_by_callee(struct graph_edge *edges, uint32_t count)
{
	if (count > HANDFUL)
		return sort_many(edges, count);
	sort_handful(edges, count);
	return 0;
}

int edgelist_make(struct graph *g, const struct edgetab *t, uint32_t nodes,
		  struct arena *arena)
{
	struct arena scratch = { 0 };
	uint32_t *end = ARENA_ARRAY(&scratch, uint32_t, nodes);
	int r = 0;

	g->edges.count = 0;
	if (!end || !VEC_RESERVE(&g->edges, arena, t->count)) {
		arena_release(&scratch);
		return -ENOMEM;
	}
	g->edges.count = t->count;
	place(g->edges.at, end, t, nodes);
	for (uint32_t n = 1; n < nodes && r == 0; n++)
		r = sort_by_callee(g->edges.at + end[n - 1],
				   end[n] - end[n - 1]);
	arena_release(&scratch);
	return r;
}

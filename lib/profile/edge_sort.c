/* SPDX-License-Identifier: MIT */
/*
 * All edges of a graph in one order.  Where names have ranks it is an order of
 * numbers, and workers sort a share each.
 */
#include <errno.h>

#include "base/idsort.h"
#include "base/sort.h"
#include "base/workers.h"
#include "profile/graph_order.h"

/* The keys that edges are sorted by, the last first. */
enum edge_key { KEY_SIGN, KEY_NAMES, KEY_WEIGHT, EDGE_KEYS };

static uint64_t edge_key(const struct trimmed *t, const struct graph_edge *e,
			 enum edge_key key)
{
	const struct graph_node *nodes = t->graph.nodes.at;

	if (key == KEY_SIGN)
		return e->weight < 0;
	if (key == KEY_NAMES)
		return (uint64_t)t->ranks[nodes[e->from].info] << 32 |
		       t->ranks[nodes[e->to].info];
	/* What has no magnitude, below 0, comes last. */
	return (uint64_t)INT64_MAX - (uint64_t)magnitude(e->weight);
}

/* By numbers alone, once names have ranks. */
static int sort_by_ranks(const struct trimmed *t, uint32_t *ids, uint32_t count,
			 struct arena *arena)
{
	size_t room = 2 * (size_t)count;
	struct sort_item *items = ARENA_ARRAY(arena, struct sort_item, room);

	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		items[i].id = ids[i];
	for (enum edge_key key = 0; key < EDGE_KEYS; key++) {
		for (uint32_t i = 0; i < count; i++)
			items[i].key = edge_key(
				t, &t->graph.edges.at[items[i].id], key);
		sort_items(items, items + count, count);
	}
	for (uint32_t i = 0; i < count; i++)
		ids[i] = items[i].id;
	arena_free(arena, items, room * sizeof(*items));
	return 0;
}

/*
 * Several workers sort a share each, from some edges to those before which the
 * next share begins.
 */
struct shares {
	const struct trimmed *t;
	unsigned count;
	uint32_t first[WORKERS_MAX]; /* of the share: its first edge */
	uint32_t end[WORKERS_MAX];   /* where it ends in ids */
	uint32_t *ids;
	int result[WORKERS_MAX];
};

enum { MANY_TO_SORT = 100000, SAMPLE = 1024 };

/* Edges of which about as many are before each as between it and the next. */
static void choose_first(struct shares *s, const uint32_t *ids, uint32_t count)
{
	uint32_t sample[SAMPLE], scratch[SAMPLE];

	for (uint32_t i = 0; i < SAMPLE; i++)
		sample[i] = ids[(uint64_t)count * i / SAMPLE];
	sort_ids(sample, scratch, SAMPLE, graph_edge_before, s->t);
	for (unsigned i = 1; i < s->count; i++)
		s->first[i] = sample[SAMPLE * i / s->count];
}

static unsigned share_of(const struct shares *s, uint32_t edge)
{
	unsigned share = s->count - 1;

	while (share && graph_edge_before(s->t, edge, s->first[share]))
		share--;
	return share;
}

/* Puts the ids of each share together, in their order. */
static int share_out(struct shares *s, uint32_t count, struct arena *arena)
{
	uint32_t *copy = ARENA_ARRAY(arena, uint32_t, count);
	uint8_t *shares = ARENA_ARRAY(arena, uint8_t, count);
	uint32_t next[WORKERS_MAX] = { 0 };

	if (!copy || !shares)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		shares[i] = (uint8_t)share_of(s, s->ids[i]);
		copy[i] = s->ids[i];
		s->end[shares[i]]++;
	}
	for (unsigned i = 1; i < s->count; i++) {
		next[i] = s->end[i - 1];
		s->end[i] += s->end[i - 1];
	}
	for (uint32_t i = 0; i < count; i++)
		s->ids[next[shares[i]]++] = copy[i];
	return 0;
}

static void sort_share(void *context, unsigned number)
{
	struct shares *s = context;
	struct arena scratch = { 0 };
	uint32_t begin = number ? s->end[number - 1] : 0;

	s->result[number] = sort_by_ranks(s->t, s->ids + begin,
					  s->end[number] - begin, &scratch);
	arena_release(&scratch);
}

static int sort_together(const struct trimmed *t, uint32_t *ids, uint32_t count,
			 struct arena *arena)
{
	const struct workers *team = t->request->workers;
	struct shares s = { .t = t, .count = workers_parts(team), .ids = ids };
	int r;

	if (s.count == 1 || count < MANY_TO_SORT)
		return sort_by_ranks(t, ids, count, arena);
	choose_first(&s, ids, count);
	r = share_out(&s, count, arena);
	if (r == 0)
		workers_run(team, sort_share, &s);
	for (unsigned i = 0; i < s.count && r == 0; i++)
		r = s.result[i];
	return r;
}

int graph_sort_edges(const struct trimmed *t, uint32_t *ids, uint32_t count,
		     struct arena *arena)
{
	uint32_t *scratch;

	if (t->ranks && count)
		return sort_together(t, ids, count, arena);
	scratch = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
	if (!scratch)
		return -ENOMEM;
	sort_ids(ids, scratch, count, graph_edge_before, t);
	return 0;
}

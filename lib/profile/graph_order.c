/* SPDX-License-Identifier: MIT */
/*
 * In which order nodes are shown.  See graph_order.h.
 *
 * A large profile has very many nodes of equal value, and what is left to tell
 * them apart are their names, which are long and must be made first.  So most
 * of the sorting is done by numbers: the value, and the address that a name
 * starts with where there is one.
 */
#include "profile/graph_order.h"

#include <errno.h>
#include <string.h>

#include "base/fmt.h"
#include "base/idsort.h"
#include "base/sort.h"

static int compare_numbers(int64_t a, int64_t b)
{
	char x[24], y[24];

	if (a == b)
		return 0;
	fmt_text(x, sizeof(x), "%lld ", (long long)a);
	fmt_text(y, sizeof(y), "%lld ", (long long)b);
	return strcmp(x, y);
}

/*
 * The last resort, so that no two nodes are equal: field by field in pprof's
 * order, numbers as their digits, which is how they compare in its text form.
 */
static int compare_infos(const struct trimmed *t, uint32_t a, uint32_t b)
{
	const struct strtab *s = t->request->profile->strings;
	const struct node_info *x = trimmed_info(t, a);
	const struct node_info *y = trimmed_info(t, b);
	int order = str_compare(s, x->name, y->name);

	if (!order)
		order = compare_numbers((int64_t)x->address,
					(int64_t)y->address);
	if (!order)
		order = str_compare(s, x->file, y->file);
	if (!order)
		order = compare_numbers(x->start_line, y->start_line);
	if (!order)
		order = compare_numbers(x->line, y->line);
	if (!order)
		order = compare_numbers(x->column, y->column);
	if (!order)
		order = str_compare(s, x->object, y->object);
	return order ? order : (a < b ? -1 : a > b);
}

struct node_order {
	const struct trimmed *t;
	bool by_flat; /* what the second key is not */
};

/* Of nodes with the same score. */
static bool node_before(const void *context, uint32_t a, uint32_t b)
{
	const struct node_order *o = context;
	const struct graph_node *x = &o->t->graph.nodes.at[a];
	const struct graph_node *y = &o->t->graph.nodes.at[b];
	int order = graph_compare_names(o->t, a, b);
	int64_t sa, sb;

	if (order)
		return order < 0;
	sa = magnitude(o->by_flat ? x->cum : x->flat);
	sb = magnitude(o->by_flat ? y->cum : y->flat);
	if (sa != sb)
		return sa > sb;
	return compare_infos(o->t, a, b) < 0;
}

int64_t graph_score_flat(const struct trimmed *t, uint32_t node)
{
	return t->graph.nodes.at[node].flat;
}

int64_t graph_score_cum(const struct trimmed *t, uint32_t node)
{
	return t->graph.nodes.at[node].cum;
}

struct node_sorter {
	struct node_order order;
	struct sort_item *scratch;
	uint32_t *ids; /* twice as many as nodes */
};

/* How many items from the first on have its key. */
static uint32_t same_key(const struct sort_item *items, uint32_t count)
{
	uint32_t same = 1;

	while (same < count && items[same].key == items->key)
		same++;
	return same;
}

static void sort_by_name(struct node_sorter *s, struct sort_item *items,
			 uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		s->ids[i] = items[i].id;
	sort_ids(s->ids, s->ids + count, count, node_before, &s->order);
	for (uint32_t i = 0; i < count; i++)
		items[i].id = s->ids[i];
}

/* Sorts what has the same score. */
static void sort_equals(struct node_sorter *s, struct sort_item *items,
			uint32_t count)
{
	bool addresses = true;

	for (uint32_t i = 0; i < count; i++) {
		items[i].key = trimmed_info(s->order.t, items[i].id)->address;
		addresses &= items[i].key != 0;
	}
	if (!addresses) {
		sort_by_name(s, items, count);
		return;
	}
	sort_items(items, s->scratch, count);
	for (uint32_t i = 0, same; i < count; i += same) {
		same = same_key(items + i, count - i);
		if (same > 1)
			sort_by_name(s, items + i, same);
	}
}

int graph_order_nodes(struct trimmed *t, graph_score *score_of,
		      struct arena *arena)
{
	uint32_t count = t->shown_count;
	struct sort_item *items = ARENA_ARRAY(arena, struct sort_item,
					      2 * (size_t)count + 1);
	struct node_sorter s = {
		.order = { t, score_of == graph_score_flat },
		.scratch = items + count,
		.ids = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)count + 1),
	};

	if (!items || !s.ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		int64_t score = magnitude(score_of(t, t->shown[i]));

		/* The highest first; what has no magnitude, below 0, last. */
		items[i] = (struct sort_item){
			.key = (uint64_t)INT64_MAX - (uint64_t)score,
			.id = t->shown[i],
		};
	}
	sort_items(items, s.scratch, count);
	for (uint32_t i = 0, same; i < count; i += same) {
		same = same_key(items + i, count - i);
		if (same > 1)
			sort_equals(&s, items + i, same);
	}
	for (uint32_t i = 0; i < count; i++)
		t->shown[i] = items[i].id;
	return arena->failed ? -ENOMEM : 0;
}

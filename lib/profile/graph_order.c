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
#include "base/gosort.h"
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
 * The last resort: field by field in pprof's order, numbers as their digits,
 * which is how they compare in its text form.  Only nodes of a tree can be
 * equal even so, and those stay in the order in which they are.
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
	return order;
}

struct node_order {
	const struct trimmed *t;
	bool by_flat; /* what the second key is not */
	bool as_met;  /* namesakes stay as they come */
};

/*
 * To pprof, nodes of the same name are equals whatever else they are, and come
 * in any order but where all fit into one bucket of a Go map: then mostly in
 * that of the locations, which is the order of the nodes.
 */
static bool stay_as_met(const struct trimmed *t)
{
	enum { BUCKET = 8 };

	return !t->ends && t->request->profile->locations.count <= 1 + BUCKET;
}

/* What decides between nodes of the same score and name, the higher first. */
static int64_t second_score(const struct node_order *o, uint32_t node)
{
	const struct graph_node *n = &o->t->graph.nodes.at[node];

	return magnitude(o->by_flat ? n->cum : n->flat);
}

/* Of nodes with the same score. */
static bool node_before(const void *context, uint32_t a, uint32_t b)
{
	const struct node_order *o = context;
	int order = graph_compare_names(o->t, a, b);
	int64_t sa, sb;

	if (order || o->as_met)
		return order < 0;
	sa = second_score(o, a);
	sb = second_score(o, b);
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

/* The highest first; what has no magnitude, below 0, last. */
static uint64_t score_key(int64_t score)
{
	return (uint64_t)INT64_MAX - (uint64_t)score;
}

/* Fewer are sorted faster by comparing them. */
enum { MANY_EQUALS = 256 };

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

/* Sorts items of the same key by name, where there are several. */
static void sort_same_keys(struct node_sorter *s, struct sort_item *items,
			   uint32_t count)
{
	for (uint32_t i = 0, same; i < count; i += same) {
		same = same_key(items + i, count - i);
		if (same > 1)
			sort_by_name(s, items + i, same);
	}
}

/* Whether items, which have the same name, are all of one entry. */
static bool same_entry(const struct trimmed *t, const struct sort_item *items,
		       uint32_t count)
{
	const struct graph_node *nodes = t->graph.nodes.at;

	for (uint32_t i = 1; i < count; i++)
		if (nodes[items[i].id].info != nodes[items->id].info)
			return false;
	return true;
}

/*
 * The nodes of a tree can be very many of few entries.  Then it is numbers that
 * tell them apart, the last one first.
 */
static void sort_by_numbers(struct node_sorter *s, struct sort_item *items,
			    uint32_t count)
{
	const struct trimmed *t = s->order.t;

	for (uint32_t i = 0; i < count; i++)
		items[i].key = score_key(second_score(&s->order, items[i].id));
	sort_items(items, s->scratch, count);
	for (uint32_t i = 0; i < count; i++)
		items[i].key = t->ranks[t->graph.nodes.at[items[i].id].info];
	sort_items(items, s->scratch, count);
	for (uint32_t i = 0, same; i < count; i += same) {
		same = same_key(items + i, count - i);
		if (!same_entry(t, items + i, same))
			sort_by_name(s, items + i, same);
	}
}

/* Sorts what has the same score. */
static void sort_equals(struct node_sorter *s, struct sort_item *items,
			uint32_t count)
{
	bool addresses = true;

	if (s->order.t->ranks && count >= MANY_EQUALS) {
		sort_by_numbers(s, items, count);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		items[i].key = trimmed_info(s->order.t, items[i].id)->address;
		addresses &= items[i].key != 0;
	}
	if (!addresses) {
		sort_by_name(s, items, count);
		return;
	}
	sort_items(items, s->scratch, count);
	sort_same_keys(s, items, count);
}

/* The nodes that are shown, with their scores for keys. */
static void put_scores(struct sort_item *items, const struct trimmed *t,
		       graph_score *score_of)
{
	for (uint32_t i = 0; i < t->shown_count; i++) {
		items[i] = (struct sort_item){
			.key = score_key(magnitude(score_of(t, t->shown[i]))),
			.id = t->shown[i],
		};
	}
}

int graph_order_nodes(struct trimmed *t, graph_score *score_of,
		      struct arena *arena)
{
	uint32_t count = t->shown_count;
	struct sort_item *items = ARENA_ARRAY(arena, struct sort_item,
					      2 * (size_t)count + 1);
	struct node_sorter s = {
		.order = { t, score_of == graph_score_flat, stay_as_met(t) },
		.scratch = items + count,
		.ids = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)count + 1),
	};

	if (!items || !s.ids)
		return -ENOMEM;
	put_scores(items, t, score_of);
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

/* Nodes by their place, with what they are sorted by first. */
struct places {
	struct node_order order;
	const struct sort_item *items;
};

static bool place_before(const void *context, uint32_t a, uint32_t b)
{
	const struct places *p = context;
	const struct sort_item *x = &p->items[a], *y = &p->items[b];

	if (x->key != y->key)
		return x->key < y->key;
	return node_before(&p->order, x->id, y->id);
}

int graph_reorder_nodes(struct trimmed *t, graph_score *score_of,
			struct arena *arena)
{
	uint32_t count = t->shown_count;
	struct sort_item *items = ARENA_ARRAY(arena, struct sort_item, count);
	uint32_t *places = ARENA_ARRAY(arena, uint32_t, count);
	const struct places p = {
		.order = { t, score_of == graph_score_flat, false },
		.items = items,
	};

	if (!items || !places)
		return -ENOMEM;
	put_scores(items, t, score_of);
	for (uint32_t i = 0; i < count; i++)
		places[i] = i;
	go_sort(places, count, place_before, &p);
	for (uint32_t i = 0; i < count; i++)
		t->shown[i] = items[places[i]].id;
	return arena->failed ? -ENOMEM : 0;
}

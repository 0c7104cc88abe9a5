/* SPDX-License-Identifier: MIT */
/*
 * What nodes are called, and the order of that.  Names are long and must be
 * made first, so few are where few are asked for.  But a large graph has many
 * more edges than entries, and most edges weigh as much as others: there all
 * names are put in order once, and after that their ranks are compared.
 */
#include <errno.h>
#include <string.h>

#include "base/idsort.h"
#include "profile/graph_order.h"

/* The name of an entry, made in arena unless it is known. */
static struct span name_in(const struct trimmed *t, node_id info,
			   struct arena *arena)
{
	struct span known = t->names[info];

	return known.at ? known
			: node_name(&t->request->nodes->info.at[info],
				    t->request->profile->strings, arena);
}

static struct span name_of(const struct trimmed *t, node_id info)
{
	struct span *name = &t->names[info];

	if (!name->at)
		*name = name_in(t, info, t->arena);
	return *name;
}

struct span trimmed_name_in(const struct trimmed *t, uint32_t node,
			    struct arena *arena)
{
	return name_in(t, trimmed_id(t, node), arena);
}

struct span trimmed_name(const struct trimmed *t, uint32_t node)
{
	return name_of(t, trimmed_id(t, node));
}

static int compare_spans(struct span a, struct span b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter ? memcmp(a.at, b.at, shorter) : 0;

	if (order)
		return order;
	return a.len < b.len ? -1 : a.len > b.len;
}

static int compare_infos(const struct trimmed *t, node_id a, node_id b)
{
	uint64_t x = t->request->nodes->info.at[a].address;
	uint64_t y = t->request->nodes->info.at[b].address;

	/* Names start with it, in as many digits as any has. */
	if (x && y && x != y)
		return x < y ? -1 : 1;
	return compare_spans(name_of(t, a), name_of(t, b));
}

int graph_compare_names(const struct trimmed *t, uint32_t a, uint32_t b)
{
	node_id x = trimmed_id(t, a), y = trimmed_id(t, b);

	if (x == y)
		return 0;
	if (t->ranks)
		return t->ranks[x] < t->ranks[y] ? -1
						 : t->ranks[x] > t->ranks[y];
	return compare_infos(t, x, y);
}

static bool info_before(const void *context, uint32_t a, uint32_t b)
{
	return compare_infos(context, a, b) < 0;
}

/* All entries in the order of their names; room for twice as many. */
static void sort_names(const struct trimmed *t, uint32_t *ids)
{
	uint32_t count = t->request->nodes->info.count;

	for (uint32_t i = 0; i < count; i++)
		ids[i] = i;
	sort_ids(ids, ids + count, count, info_before, t);
}

int graph_rank_names(struct trimmed *t, struct arena *arena)
{
	uint32_t count = t->request->nodes->info.count;
	uint32_t *ids = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)count);
	uint32_t *ranks = ARENA_ARRAY(arena, uint32_t, count);
	uint32_t rank = 0;

	if (!ids || !ranks)
		return -ENOMEM;
	sort_names(t, ids);
	for (uint32_t i = 0; i < count; i++) {
		rank += i && info_before(t, ids[i - 1], ids[i]);
		ranks[ids[i]] = rank;
	}
	arena_free(arena, ids, 2 * (size_t)count * sizeof(*ids));
	t->ranks = ranks;
	return arena->failed ? -ENOMEM : 0;
}

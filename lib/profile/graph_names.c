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
#include "base/workers.h"
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

/* Who asks for names; those that are not there are made in arena. */
struct asker {
	const struct trimmed *t;
	struct arena *arena;
};

static struct span name_of(const struct asker *a, node_id info)
{
	struct span *name = &a->t->names[info];

	if (!name->at)
		*name = name_in(a->t, info, a->arena);
	return *name;
}

struct span trimmed_name_in(const struct trimmed *t, uint32_t node,
			    struct arena *arena)
{
	return name_in(t, trimmed_id(t, node), arena);
}

struct span trimmed_name(const struct trimmed *t, uint32_t node)
{
	return name_of(&(struct asker){ t, t->arena }, trimmed_id(t, node));
}

static int compare_infos(const struct asker *asker, node_id a, node_id b)
{
	const struct node_info *infos = asker->t->request->nodes->info.at;
	uint64_t x = infos[a].address, y = infos[b].address;

	/* Names start with it, in as many digits as any has. */
	if (x && y && x != y)
		return x < y ? -1 : 1;
	return span_compare(name_of(asker, a), name_of(asker, b));
}

int graph_compare_names(const struct trimmed *t, uint32_t a, uint32_t b)
{
	node_id x = trimmed_id(t, a), y = trimmed_id(t, b);

	if (x == y)
		return 0;
	if (t->ranks)
		return t->ranks[x] < t->ranks[y] ? -1
						 : t->ranks[x] > t->ranks[y];
	return compare_infos(&(struct asker){ t, t->arena }, x, y);
}

static bool info_before(const void *context, uint32_t a, uint32_t b)
{
	return compare_infos(context, a, b) < 0;
}

/* Parts of the entries, each put in order by a worker of its own. */
struct ranking {
	const struct trimmed *t;
	uint32_t count;
	unsigned parts;
	uint32_t *ids;
	uint32_t *scratch; /* as many */
	struct arena names[WORKERS_MAX];
};

static uint32_t part_start(const struct ranking *r, unsigned number)
{
	return (uint32_t)((uint64_t)r->count * number / r->parts);
}

static void sort_part(void *context, unsigned number)
{
	struct ranking *r = context;
	struct asker asker = { r->t, &r->names[number] };
	uint32_t begin = part_start(r, number);
	uint32_t end = part_start(r, number + 1);

	for (uint32_t i = begin; i < end; i++)
		r->ids[i] = i;
	sort_ids(r->ids + begin, r->scratch + begin, end - begin, info_before,
		 &asker);
}

static void sort_names(struct ranking *r)
{
	const struct asker asker = { r->t, r->t->arena };

	workers_run(r->t->request->workers, sort_part, r);
	for (unsigned i = 0; i < r->parts; i++)
		arena_adopt(asker.arena, &r->names[i]);
	for (unsigned i = 1; i < r->parts; i++) {
		uint32_t *swap = r->ids;
		uint32_t end = part_start(r, i + 1);

		merge_ids(r->scratch, r->ids, part_start(r, i), end,
			  info_before, &asker);
		memcpy(r->scratch + end, r->ids + end,
		       (r->count - end) * sizeof(*r->ids));
		r->ids = r->scratch;
		r->scratch = swap;
	}
}

int graph_rank_names(struct trimmed *t, struct arena *arena)
{
	const struct asker asker = { t, t->arena };
	uint32_t count = t->request->nodes->info.count;
	size_t room = 2 * (size_t)count;
	uint32_t *both = ARENA_ARRAY(arena, uint32_t, room);
	uint32_t *ranks = ARENA_ARRAY(arena, uint32_t, count);
	struct ranking r = {
		.t = t,
		.count = count,
		.parts = workers_parts(t->request->workers),
		.ids = both,
	};
	uint32_t rank = 0;

	if (!both || !ranks)
		return -ENOMEM;
	r.scratch = both + count;
	sort_names(&r);
	for (uint32_t i = 0; i < count; i++) {
		rank += i && info_before(&asker, r.ids[i - 1], r.ids[i]);
		ranks[r.ids[i]] = rank;
	}
	arena_free(arena, both, room * sizeof(*both));
	t->ranks = ranks;
	return t->arena->failed || arena->failed ? -ENOMEM : 0;
}

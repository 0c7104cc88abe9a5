/* SPDX-License-Identifier: MIT */
/*
 * Nodes of a profile that has more locations than another: see node.h.  As for
 * one that has lost lines, to look up all that is the same, and to put it in
 * order again, takes a good part of the time that a report on it has.
 */
#include <errno.h>
#include <string.h>

#include "base/idsort.h"
#include "profile/node.h"

enum {
	MOST_RANKED = 4096, /* nodes that are new: each is compared with a few
			       others, whose names are made for that */
};

static bool same_rows(const void *a, const void *b, uint32_t count, size_t row)
{
	return !count || memcmp(a, b, count * row) == 0;
}

/* Whether p has what the other has, in the same places: a copy is one to the
 * last byte. */
static bool has_all(const struct profile *p, const struct profile *of)
{
	if (p->locations.count < of->locations.count ||
	    p->lines.count < of->lines.count)
		return false;
	return same_rows(p->locations.at, of->locations.at, of->locations.count,
			 sizeof(*p->locations.at)) &&
	       same_rows(p->lines.at, of->lines.at, of->lines.count,
			 sizeof(*p->lines.at));
}

/* Gives t what it has in common with of, in memory that can grow. */
static bool copy_known(struct nodetab *t, const struct nodetab *of,
		       uint32_t known, uint32_t locations, struct arena *arena)
{
	*t = (struct nodetab){ .index = of->index };
	t->first = ARENA_ARRAY(arena, uint32_t, (size_t)locations + 1);
	if (!t->first || !VEC_RESERVE(&t->info, arena, of->info.count) ||
	    !VEC_RESERVE(&t->ids, arena, of->ids.count + 1) ||
	    !table_own(&t->index, arena))
		return false;
	t->info.count = of->info.count;
	t->ids.count = of->ids.count;
	memcpy(t->info.at, of->info.at, of->info.count * sizeof(*t->info.at));
	memcpy(t->ids.at, of->ids.at, of->ids.count * sizeof(*t->ids.at));
	memcpy(t->first, of->first, known * sizeof(*t->first));
	return true;
}

/* Putting new nodes among those whose order is known. */
struct ranker {
	const struct nodetab *t;
	const struct nodetab *of;
	const struct strtab *strings;
	struct arena *scratch;
	uint32_t *by_rank;  /* those that are known */
	uint32_t *added;    /* those that are not, by name */
	struct span *names; /* of those, by node - known */
	uint32_t known;
	uint32_t added_count;
};

static struct span name_of(const struct ranker *k, node_id id)
{
	if (id >= k->known && k->names[id - k->known].at)
		return k->names[id - k->known];
	return node_name(&k->t->info.at[id], k->strings, k->scratch);
}

static bool name_before(const void *context, uint32_t a, uint32_t b)
{
	const struct ranker *k = context;

	return span_compare(name_of(k, a), name_of(k, b)) < 0;
}

static bool is_before(const struct ranker *k, node_id a, node_id b)
{
	if (a < k->known && b < k->known)
		return k->of->ranks[a] < k->of->ranks[b];
	return name_before(k, a, b);
}

/* Equal names have equal ranks, so there are gaps between places. */
static bool list_known(struct ranker *k)
{
	uint32_t *end = ARENA_ARRAY(k->scratch, uint32_t, (size_t)k->known + 1);

	k->by_rank = ARENA_ARRAY(k->scratch, uint32_t, k->known);
	if (!end || !k->by_rank)
		return false;
	for (node_id id = 0; id < k->known; id++)
		end[k->of->ranks[id] + 1]++;
	for (uint32_t rank = 0; rank < k->known; rank++)
		end[rank + 1] += end[rank];
	for (node_id id = 0; id < k->known; id++)
		k->by_rank[end[k->of->ranks[id]]++] = id;
	return true;
}

static bool sort_added(struct ranker *k)
{
	uint32_t count = k->added_count;
	uint32_t *scratch = ARENA_ARRAY(k->scratch, uint32_t, count + 1);

	k->added = ARENA_ARRAY(k->scratch, uint32_t, count + 1);
	k->names = ARENA_ARRAY(k->scratch, struct span, count + 1);
	if (!scratch || !k->added || !k->names)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		k->names[i] = name_of(k, k->known + i);
		k->added[i] = k->known + i;
	}
	sort_ids(k->added, scratch, count, name_before, k);
	return true;
}

/* How many of those that are known go before a node. */
static uint32_t place_of(const struct ranker *k, node_id id)
{
	uint32_t low = 0, high = k->known;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (name_before(k, k->by_rank[middle], id))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Gives each node of the row its rank, which is that of the one before it if
 * their names are equal. */
struct row {
	const struct ranker *k;
	uint32_t *ranks;
	uint32_t rank;
	node_id last;
	bool any;
};

static void put(struct row *row, node_id id)
{
	row->rank += row->any && is_before(row->k, row->last, id);
	row->ranks[id] = row->rank;
	row->last = id;
	row->any = true;
}

static void put_all(const struct ranker *k, uint32_t *ranks)
{
	struct row row = { .k = k, .ranks = ranks };
	uint32_t done = 0;

	for (uint32_t i = 0; i < k->added_count; i++) {
		uint32_t place = place_of(k, k->added[i]);

		while (done < place)
			put(&row, k->by_rank[done++]);
		put(&row, k->added[i]);
	}
	while (done < k->known)
		put(&row, k->by_rank[done++]);
}

static int rank(struct nodetab *t, const struct nodetab *of,
		const struct strtab *strings, struct arena *arena)
{
	struct arena scratch = { 0 };
	uint32_t *ranks = ARENA_ARRAY(arena, uint32_t, t->info.count);
	struct ranker k = {
		.t = t,
		.of = of,
		.strings = strings,
		.scratch = &scratch,
		.known = of->info.count,
		.added_count = t->info.count - of->info.count,
	};

	if (ranks && list_known(&k) && sort_added(&k))
		put_all(&k, ranks);
	t->ranks = scratch.failed ? NULL : ranks;
	arena_release(&scratch);
	return t->ranks ? 0 : -ENOMEM;
}

int nodetab_widen(struct nodetab *t, const struct nodetab *of,
		  const struct profile *smaller, const struct profile *p,
		  const struct node_options *o, struct arena *arena)
{
	uint32_t known = smaller->locations.count;
	int r;

	if (!has_all(p, smaller))
		return -ENOENT;
	if (!copy_known(t, of, known, p->locations.count, arena))
		return -ENOMEM;
	r = nodetab_add(t, p, o, known, arena);
	if (r < 0 || !of->ranks || t->info.count - of->info.count > MOST_RANKED)
		return r;
	return rank(t, of, p->strings, arena);
}

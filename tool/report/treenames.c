/* SPDX-License-Identifier: MIT */
/*
 * See treenames.h.  All workers go through a share of the list.  They count the
 * functions that get a number in each block, and note where each entry is
 * mentioned first; the first mention of a name is that of one of its entries.
 */
#include "report/treenames.h"

#include <errno.h>
#include <string.h>

#include "base/sort.h"
#include "base/workers.h"

/* What is known of an entry, in a byte: there are many calls of it. */
enum {
	NUMBERED = 1, /* its functions have numbers behind their names */
	REPEATED = 2, /* some of them are called again */
	SEEN = 4,     /* as an entry of the list, by the worker, so far */
	CALLED = 8,
};

/* The first mention of an entry. */
struct sight {
	uint32_t place; /* and one more; 0: none */
	uint32_t by;
	uint32_t functions; /* numbered before, in the block */
};

struct seer {
	uint8_t *known;	      /* by node_id */
	struct sight *seen;   /* by node_id: in the list itself */
	struct sight *called; /* and as a callee */
	struct again *again;
	WORKERS_APART;
};

struct naming {
	struct treenames *n;
	struct arena *scratch;
	uint32_t strings;
	unsigned workers;
	struct seer seers[WORKERS_MAX];
	struct sort_item *items; /* twice as many as strings */
};

/* Whether the function has its number from a call before, at that place. */
static bool is_again(struct again *again, uint32_t place)
{
	bool known = again->place == place + 1;

	again->place = place + 1;
	return known;
}

/* What a worker sees of a block. */
struct block_view {
	const struct treenames *n;
	struct seer *s;
	uint32_t functions; /* that have got a number in it so far */
};

static void see_entry(struct block_view *v, node_id entry, uint32_t place)
{
	struct seer *s = v->s;

	if (s->known[entry] & SEEN)
		return;
	s->known[entry] |= SEEN;
	s->seen[entry] = (struct sight){ place + 1, 0, v->functions };
}

/* Returns what was known of the callee. */
static inline uint8_t see_call(struct block_view *v, node_id callee,
			       uint32_t place, uint32_t by)
{
	struct seer *s = v->s;
	uint8_t known = s->known[callee];

	if (!(known & CALLED)) {
		s->known[callee] |= CALLED;
		s->called[callee] = (struct sight){ place + 1, by,
						    v->functions };
	}
	v->functions += known & NUMBERED;
	return known;
}

/* The calls at the end of a run, which alone can be of one function. */
static void see_calls(struct block_view *v, uint32_t run, uint32_t place)
{
	uint32_t count;
	const struct tree_call *calls = treelist_calls_of_run(v->n->list, run,
							      &count);

	for (uint32_t i = 0; i < count; i++) {
		node_id callee = calls[i].callee;
		uint8_t known = see_call(v, callee, place, i + 1);

		if (known & REPEATED)
			v->functions -= is_again(
				&v->s->again[v->n->kin->function[callee]],
				place);
	}
}

/* The node at a place, and its calls. */
static void see_spender(struct block_view *v, uint32_t place)
{
	const struct tree_spender *s = &v->n->list->spenders[place];

	see_entry(v, s->entry, place);
	see_calls(v, s->run, place);
}

static void see_row(struct block_view *v, uint32_t place)
{
	const struct treelist *l = v->n->list;
	struct tree_call row = treelist_row(l, place - l->spender_count);

	if (row.callee)
		(void)see_call(v, row.callee, place, 1);
	else
		see_calls(v, row.place, place);
}

/* Rows of one entry, from the cursor on up to end. */
static void see_rows(struct block_view *v, struct treelist_cursor *at,
		     uint32_t end)
{
	const struct treelist *l = v->n->list;
	uint32_t last = l->spender_count + l->starts[at->index + 1];

	see_entry(v, l->entries[at->index], at->place);
	if (end > last)
		end = last;
	for (; at->place < end; at->place++) {
		treelist_ask_ahead(l, at->place);
		see_row(v, at->place);
	}
	at->index += end == last;
}

static void see_block(const struct treenames *n, struct seer *s, uint32_t block)
{
	const struct treelist *l = n->list;
	struct treelist_cursor at = treelist_seek(l, block * TREE_BLOCK);
	uint32_t end = treenames_block_end(n, block);
	struct block_view v = { .n = n, .s = s };

	for (; at.place < end && at.place < l->spender_count; at.place++) {
		treelist_ask_ahead(l, at.place);
		see_spender(&v, at.place);
	}
	while (at.place < end)
		see_rows(&v, &at, end);
	n->before[block] = v.functions;
}

static void see_share(void *context, unsigned number)
{
	struct naming *x = context;
	uint64_t blocks = x->n->blocks;
	uint32_t end = (uint32_t)(blocks * (number + 1) / x->workers);

	for (uint32_t i = (uint32_t)(blocks * number / x->workers); i < end;
	     i++)
		see_block(x->n, &x->seers[number], i);
}

/* Takes what was seen for the first mention of a name, if it is before what was
 * so far; the number is the one of the functions until all are known. */
static void take_sight(struct mention *m, const struct sight *s)
{
	uint32_t place = s->place - 1;

	if (!s->place)
		return;
	if (m->number &&
	    (m->place < place || (m->place == place && m->by <= s->by)))
		return;
	*m = (struct mention){ s->functions + 1, place, s->by };
}

/* Workers see one part of the list after the other, but for nothing else does
 * their order matter. */
static void merge_sights(struct naming *x, const struct seer *s)
{
	struct treenames *n = x->n;

	for (node_id i = 1; i < n->nodes->info.count; i++) {
		const struct node_info *info = &n->nodes->info.at[i];

		take_sight(&n->objects[info->object], &s->seen[i]);
		take_sight(&n->files[info->file], &s->seen[i]);
		take_sight(&n->names[info->name], &s->seen[i]);
		take_sight(&n->files[info->file], &s->called[i]);
		if (!(s->known[i] & NUMBERED))
			take_sight(&n->names[info->name], &s->called[i]);
	}
	/* What has no name is not mentioned. */
	n->objects[0] = n->files[0] = n->names[0] = (struct mention){ 0 };
}

/* Lists those that are mentioned, in that order; returns how many. */
static uint32_t order_mentions(struct naming *x, const struct mention *m)
{
	struct sort_item *items = x->items;
	uint32_t count = 0;

	for (str_id i = 1; i < x->strings; i++)
		if (m[i].number)
			items[count++] = (struct sort_item){ m[i].by, i, 0 };
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		items[i].key = m[items[i].id].place;
	sort_items(items, items + count, count);
	return count;
}

static void number_mentions(struct naming *x, struct mention *m)
{
	uint32_t count = order_mentions(x, m);

	for (uint32_t i = 0; i < count; i++)
		m[x->items[i].id].number = i + 1;
}

/* Functions and names have the same numbers. */
static void number_names(struct naming *x)
{
	struct treenames *n = x->n;
	uint32_t count = order_mentions(x, n->names);
	uint32_t functions = 0, names = 0;

	for (uint32_t block = 0; block < n->blocks; block++) {
		uint32_t here = n->before[block];
		uint32_t end = treenames_block_end(n, block);

		n->before[block] = functions + names;
		for (; names < count; names++) {
			struct mention *m = &n->names[x->items[names].id];

			if (m->place >= end)
				break;
			m->number += functions + names;
		}
		functions += here;
	}
}

/* What is known of entries before anything is seen. */
static void describe_entries(const struct treenames *n, uint8_t *known)
{
	for (node_id i = 1; i < n->nodes->info.count; i++) {
		const struct kin_family *f =
			&n->kin->families.at[n->kin->family[i]];

		if (f->count > 1)
			known[i] = f->repeats ? NUMBERED | REPEATED : NUMBERED;
	}
}

static int prepare(struct naming *x, struct arena *arena)
{
	struct treenames *n = x->n;
	uint32_t entries = n->nodes->info.count;

	n->blocks = (uint32_t)(((uint64_t)treelist_count(n->list) + TREE_BLOCK -
				1) /
			       TREE_BLOCK);
	n->objects = ARENA_ARRAY(arena, struct mention, x->strings);
	n->files = ARENA_ARRAY(arena, struct mention, x->strings);
	n->names = ARENA_ARRAY(arena, struct mention, x->strings);
	n->before = ARENA_ARRAY(arena, uint32_t, n->blocks);
	x->items = ARENA_ARRAY(x->scratch, struct sort_item,
			       2 * (size_t)x->strings);
	for (unsigned i = 0; i < x->workers; i++) {
		struct seer *s = &x->seers[i];

		s->known = ARENA_ARRAY(x->scratch, uint8_t, entries);
		s->seen = ARENA_ARRAY(x->scratch, struct sight, entries);
		s->called = ARENA_ARRAY(x->scratch, struct sight, entries);
		s->again = ARENA_ARRAY(x->scratch, struct again,
				       n->kin->functions);
		if (s->known)
			describe_entries(n, s->known);
	}
	return arena->failed || x->scratch->failed ? -ENOMEM : 0;
}

int treenames_make(struct treenames *n, const struct workers *workers,
		   uint32_t strings, struct arena *arena)
{
	struct arena scratch = { 0 };
	struct naming x = {
		.n = n,
		.scratch = &scratch,
		.strings = strings,
		.workers = workers_parts(workers),
	};
	int r = prepare(&x, arena);

	if (r == 0) {
		workers_run(workers, see_share, &x);
		for (unsigned i = 0; i < x.workers; i++)
			merge_sights(&x, &x.seers[i]);
		number_mentions(&x, n->objects);
		number_mentions(&x, n->files);
		number_names(&x);
	}
	arena_release(&scratch);
	return r;
}

/* SPDX-License-Identifier: MIT */
/* Interning of label sets: see label.h. */
#include "profile/label.h"

#include <string.h>

#include "base/hash.h"
#include "base/idsort.h"

/* Sets are tiny and mostly in order: for those the simplest sort is best. */
enum { FEW = 32 };

void labeltab_init(struct labeltab *t, struct arena *arena,
		   const struct strtab *strings)
{
	*t = (struct labeltab){ .arena = arena, .strings = strings };
	/* Sets count from 1; a failure shows in arena->failed. */
	t->key = hash_key(VEC_PUSH(&t->sets, arena));
}

static bool goes_before(const struct strtab *strings, const struct label *a,
			const struct label *b)
{
	if (a->numeric != b->numeric)
		return b->numeric;
	return str_compare(strings, a->key, b->key) < 0;
}

/* Insertion: equal keys keep their order. */
static void put_few_in_order(const struct strtab *strings, struct label *labels,
			     uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct label moving = labels[i];
		uint32_t at = i;

		for (; at && goes_before(strings, &moving, &labels[at - 1]);
		     at--)
			labels[at] = labels[at - 1];
		labels[at] = moving;
	}
}

struct label_list {
	const struct strtab *strings;
	const struct label *labels;
};

static bool index_goes_before(const void *context, uint32_t a, uint32_t b)
{
	const struct label_list *l = context;

	return goes_before(l->strings, &l->labels[a], &l->labels[b]);
}

/* A file may hold a set of a million, in the worst order.  False: no memory. */
static bool put_many_in_order(struct labeltab *t, struct label *labels,
			      uint32_t count)
{
	size_t list_size = count * sizeof(*labels);
	struct label *old = arena_alloc(t->arena, list_size);
	uint32_t *index = ARENA_ARRAY(t->arena, uint32_t, 2 * (size_t)count);
	const struct label_list list = { t->strings, old };

	if (!old || !index)
		return false;
	memcpy(old, labels, list_size);
	for (uint32_t i = 0; i < count; i++)
		index[i] = i;
	sort_ids(index, index + count, count, index_goes_before, &list);
	for (uint32_t i = 0; i < count; i++)
		labels[i] = old[index[i]];
	arena_free(t->arena, index, 2 * count * sizeof(*index));
	arena_free(t->arena, old, list_size);
	return true;
}

static bool put_in_order(struct labeltab *t, struct label *labels,
			 uint32_t count)
{
	if (count > FEW)
		return put_many_in_order(t, labels, count);
	put_few_in_order(t->strings, labels, count);
	return true;
}

static bool label_equal(const struct label *a, const struct label *b)
{
	return a->key == b->key && a->text == b->text && a->unit == b->unit &&
	       a->number == b->number && a->numeric == b->numeric;
}

static bool set_equal(const struct labeltab *t, labels_id id,
		      const struct label *labels, uint32_t count)
{
	uint32_t have;
	const struct label *l = labels_get(t, id, &have);

	if (have != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!label_equal(&l[i], &labels[i]))
			return false;
	return true;
}

static uint32_t set_hash(uint64_t key, const struct label *labels,
			 uint32_t count)
{
	uint64_t h = key + count;

	for (uint32_t i = 0; i < count; i++) {
		const struct label *l = &labels[i];

		h = hash_fold(key, h, (uint64_t)l->key << 32 | l->text);
		h = hash_fold(key, h, (uint64_t)l->number);
		h = hash_fold(key, h, (uint64_t)l->unit << 1 | l->numeric);
	}
	return hash_u64(h);
}

labels_id labels_add(struct labeltab *t, struct label *labels, uint32_t count)
{
	uint32_t hash, i, id;
	struct label_range *set;

	if (!count || !put_in_order(t, labels, count))
		return 0;
	hash = set_hash(t->key, labels, count);
	for (i = table_start(&t->index, hash);
	     (id = table_id(&t->index, i, hash)) != TABLE_END;
	     i = table_next(&t->index, i))
		if (id && set_equal(t, id, labels, count))
			return id;

	if (!VEC_RESERVE(&t->labels, t->arena, count))
		return 0;
	set = VEC_PUSH(&t->sets, t->arena);
	if (!set || !table_add(&t->index, t->arena, hash, t->sets.count - 1))
		return 0;
	*set = (struct label_range){ t->labels.count, count };
	memcpy(t->labels.at + t->labels.count, labels, count * sizeof(*labels));
	t->labels.count += count;
	return t->sets.count - 1;
}

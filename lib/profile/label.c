/* SPDX-License-Identifier: MIT */
/* Interning of label sets: see label.h. */
#include "profile/label.h"

#include <string.h>

#include "base/hash.h"

void labeltab_init(struct labeltab *t, struct arena *arena,
		   const struct strtab *strings)
{
	*t = (struct labeltab){ .arena = arena, .strings = strings };
	/* Sets count from 1; a failure shows in arena->failed. */
	(void)VEC_PUSH(&t->sets, arena);
}

static bool goes_before(const struct strtab *strings, const struct label *a,
			const struct label *b)
{
	if (a->numeric != b->numeric)
		return b->numeric;
	return str_compare(strings, a->key, b->key) < 0;
}

/* Insertion: sets are tiny, mostly in order, and equal keys keep theirs. */
static void put_in_order(const struct strtab *strings, struct label *labels,
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

static uint32_t set_hash(const struct label *labels, uint32_t count)
{
	uint64_t h = count;

	for (uint32_t i = 0; i < count; i++) {
		const struct label *l = &labels[i];

		h = hash_mix(h, (uint64_t)l->key << 32 | l->text);
		h = hash_mix(h, (uint64_t)l->number);
		h = hash_mix(h, (uint64_t)l->unit << 1 | l->numeric);
	}
	return hash_u64(h);
}

labels_id labels_add(struct labeltab *t, struct label *labels, uint32_t count)
{
	uint32_t hash, i, id;
	struct label_range *set;

	if (!count)
		return 0;
	put_in_order(t->strings, labels, count);
	hash = set_hash(labels, count);
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

/* SPDX-License-Identifier: MIT */
/* See edgetab.h. */
#include "profile/edgetab.h"

#include "base/arena.h"
#include "base/hash.h"

enum {
	FIRST_BITS = 10,
	MOST_BITS = 30,
};

static bool make_slots(struct edgetab *t, unsigned bits, bool mean)
{
	size_t count = (size_t)1 << bits;

	t->slots = ARENA_ARRAY(t->arena, struct edge_slot, count);
	t->div = mean ? ARENA_ARRAY(t->arena, uint64_t, count) : NULL;
	t->mask = (uint32_t)(count - 1);
	t->shift = 64 - bits;
	return t->slots && (t->div || !mean);
}

void edgetab_init(struct edgetab *t, bool mean, struct arena *arena)
{
	*t = (struct edgetab){ .arena = arena, .key = hash_key(arena) };
	(void)make_slots(t, FIRST_BITS, mean);
}

/* There is room. */
static inline void add(struct edgetab *t, uint64_t edge, struct weight sum)
{
	const uint64_t flags = EDGE_RESIDUAL | EDGE_REAL;
	uint32_t i = edgetab_first(t, edge);

	while ((t->slots[i].edge ^ edge) & ~flags) {
		if (!t->slots[i].edge) {
			t->count++;
			break;
		}
		i = (i + 1) & t->mask;
	}
	t->slots[i].edge |= edge;
	t->slots[i].value += sum.value;
	if (t->div)
		t->div[i] += sum.div;
}

static bool make_room(struct edgetab *t, uint32_t count)
{
	struct edgetab old = *t;
	size_t slots = (size_t)old.mask + 1;
	unsigned bits = 64 - old.shift + 1;

	if ((size_t)t->count + count <= slots / 4 * 3)
		return true;
	if (bits > MOST_BITS || !make_slots(t, bits, old.div))
		return false;
	/* In their old order, which is nearly the new one. */
	t->count = 0;
	for (uint32_t i = 0; i < slots; i++)
		if (old.slots[i].edge)
			add(t, old.slots[i].edge, edgetab_sum(&old, i));
	arena_free(t->arena, old.slots, slots * sizeof(*old.slots));
	arena_free(t->arena, old.div, slots * sizeof(*old.div));
	return true;
}

bool edgetab_add(struct edgetab *t, const struct edge_visit *visits,
		 uint32_t count)
{
	if (!make_room(t, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		add(t, visits[i].edge, visits[i].sum);
	return true;
}

bool edgetab_join(struct edgetab *t, const struct edgetab *other)
{
	enum { AT_ONCE = 256 };
	uint32_t i = 0;

	/* The order of both is nearly the same, so nothing is far away. */
	for (; i <= other->mask; i++) {
		if (i % AT_ONCE == 0 && !make_room(t, AT_ONCE))
			return false;
		if (other->slots[i].edge)
			add(t, other->slots[i].edge, edgetab_sum(other, i));
	}
	return true;
}

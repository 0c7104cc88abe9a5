/* SPDX-License-Identifier: MIT */
/* See edgetab.h. */
#include "profile/edgetab.h"

#include "base/arena.h"
#include "base/hash.h"

enum {
	FEWEST_BITS = 10,
	MOST_BITS = 30,
};

static bool make_slots(struct edgetab *t, unsigned bits, bool mean)
{
	size_t count = (size_t)1 << bits;

	t->slots = ARENA_TABLE(t->arena, struct edge_slot, count);
	t->div = mean ? ARENA_TABLE(t->arena, uint64_t, count) : NULL;
	t->mask = (uint32_t)(count - 1);
	t->shift = 64 - bits;
	return t->slots && (t->div || !mean);
}

/* Whether so many edges still leave searches short. */
static bool fits(uint64_t edges, unsigned bits)
{
	return edges <= ((uint64_t)1 << bits) / 4 * 3;
}

void edgetab_init(struct edgetab *t, bool mean, uint32_t expected,
		  struct arena *arena)
{
	unsigned bits = FEWEST_BITS;

	while (!fits(expected, bits) && bits < MOST_BITS)
		bits++;
	*t = (struct edgetab){ .arena = arena, .key = hash_key(arena) };
	(void)make_slots(t, bits, mean);
}

bool edgetab_reserve(struct edgetab *t, uint32_t count)
{
	struct edgetab old = *t;
	size_t slots = (size_t)old.mask + 1;
	unsigned bits = 64 - old.shift;

	if (fits((uint64_t)t->count + count, bits))
		return true;
	if (bits == MOST_BITS || !make_slots(t, bits + 1, old.div))
		return false;
	/* In their old order, which is nearly the new one. */
	t->count = 0;
	for (uint32_t i = 0; i < slots; i++)
		if (old.slots[i].edge)
			edgetab_add_at(t, edgetab_first(t, old.slots[i].edge),
				       old.slots[i].edge, edgetab_sum(&old, i));
	arena_free(t->arena, old.slots, slots * sizeof(*old.slots));
	arena_free(t->arena, old.div, slots * sizeof(*old.div));
	return true;
}

bool edgetab_add(struct edgetab *t, const struct edge_visit *visits,
		 uint32_t count)
{
	if (!edgetab_reserve(t, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		edgetab_add_at(t, edgetab_first(t, visits[i].edge),
			       visits[i].edge, visits[i].sum);
	return true;
}

/* SPDX-License-Identifier: MIT */
/* See edgetab.h. */
#include "profile/edgetab.h"

#include "base/arena.h"
#include "base/hash.h"

enum {
	FIRST_BITS = 8,
	MOST_BITS = 30,
};

static bool make_slots(struct edgetab *t, unsigned bits, struct arena *arena)
{
	struct edge_slot *slots = ARENA_ARRAY(arena, struct edge_slot,
					      (size_t)1 << bits);

	if (!slots)
		return false;
	t->slots = slots;
	t->mask = (uint32_t)(((uint64_t)1 << bits) - 1);
	t->shift = 64 - bits;
	return true;
}

void edgetab_init(struct edgetab *t, struct arena *arena)
{
	*t = (struct edgetab){ .key = hash_key(arena) };
	(void)make_slots(t, FIRST_BITS, arena);
}

/* The edge, or the empty slot where it belongs. */
static struct edge_slot *find(const struct edgetab *t, node_id from, node_id to)
{
	uint32_t i = edgetab_first(t, from, to);

	while (t->slots[i].from &&
	       (t->slots[i].to != to || t->slots[i].from != from))
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

static bool grow(struct edgetab *t, struct arena *arena)
{
	struct edgetab old = *t;
	unsigned bits = 64 - t->shift + 1;

	if (bits > MOST_BITS || !make_slots(t, bits, arena))
		return false;
	/* In their old order, which is nearly the new one. */
	for (uint32_t i = 0; i <= old.mask; i++) {
		struct edge_slot *e;

		if (!old.slots[i].from)
			continue;
		e = find(t, old.slots[i].from, old.slots[i].to);
		*e = old.slots[i];
		t->slot_of.at[e->number] = (uint32_t)(e - t->slots);
	}
	arena_free(arena, old.slots,
		   ((size_t)old.mask + 1) * sizeof(*old.slots));
	return true;
}

static struct edge_slot *add(struct edgetab *t, node_id from, node_id to,
			     struct arena *arena)
{
	uint32_t *slot;
	struct edge_slot *e;

	if (t->slot_of.count >= t->mask / 4 * 3 && !grow(t, arena))
		return NULL;
	slot = VEC_PUSH(&t->slot_of, arena);
	if (!slot)
		return NULL;
	e = find(t, from, to);
	*e = (struct edge_slot){
		.from = from,
		.to = to,
		.number = (t->slot_of.count - 1) & 0x3fffffff,
		.inlined = true,
	};
	*slot = (uint32_t)(e - t->slots);
	return e;
}

struct edge_slot *edgetab_get(struct edgetab *t, node_id from, node_id to,
			      struct arena *arena)
{
	struct edge_slot *e = find(t, from, to);

	return e->from ? e : add(t, from, to, arena);
}

/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing, at most three quarters full.  Hashes
 * are kept beside the ids, so growing never asks the caller for a row.
 */
#include "base/table.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"

enum { FIRST_SLOTS = 64 };

static void place(struct table *t, uint32_t hash, uint32_t id)
{
	uint32_t i = table_start(t, hash);

	while (t->slot[i].id)
		i = table_next(t, i);
	t->slot[i] = (struct table_slot){ .hash = hash, .id = id };
}

static bool grow(struct table *t, struct arena *a)
{
	uint64_t slots = t->slot ? ((uint64_t)t->mask + 1) * 2 : FIRST_SLOTS;
	struct table bigger = { .count = t->count };

	if (slots > (uint64_t)1 << 31)
		return false;
	bigger.slot = ARENA_TABLE(a, struct table_slot, slots);
	if (!bigger.slot)
		return false;
	bigger.mask = (uint32_t)slots - 1;

	for (uint32_t i = 0; t->slot && i <= t->mask; i++)
		if (t->slot[i].id)
			place(&bigger, t->slot[i].hash, t->slot[i].id);
	arena_free(a, t->slot, ((size_t)t->mask + 1) * sizeof(*t->slot));
	*t = bigger;
	return true;
}

bool table_add(struct table *t, struct arena *a, uint32_t hash, uint32_t id)
{
	ASSERT(id != 0 && id != TABLE_END);
	if (!t->slot || t->count >= t->mask / 4 * 3)
		if (!grow(t, a))
			return false;

	place(t, hash, id);
	t->count++;
	return true;
}

bool table_own(struct table *t, struct arena *a)
{
	size_t slots = (size_t)t->mask + 1;
	struct table_slot *own;

	if (!t->slot)
		return true;
	own = ARENA_TABLE(a, struct table_slot, slots);
	if (own)
		memcpy(own, t->slot, slots * sizeof(*own));
	t->slot = own;
	return own != NULL;
}

void table_replace(struct table *t, uint32_t hash, uint32_t old_id,
		   uint32_t new_id)
{
	uint32_t i = table_start(t, hash);

	ASSERT(t->slot);
	while (t->slot[i].id != old_id || t->slot[i].hash != hash) {
		ASSERT(t->slot[i].id);
		i = table_next(t, i);
	}
	t->slot[i].id = new_id;
}

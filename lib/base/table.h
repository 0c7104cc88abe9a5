/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_TABLE_H
#define WICK_BASE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct arena;

struct table_slot {
	uint32_t hash;
	uint32_t id; /* 0: empty */
};

/*
 * An index from hashes to non-zero 32-bit ids.  The rows themselves live in a
 * column of the caller's, who also knows when two are equal:
 *
 *	uint32_t i = table_start(&t, hash);
 *	for (; (id = table_id(&t, i, hash)) != TABLE_END; i = table_next(&t, i))
 *		if (id && rows[id] equals key)
 *			return id;
 *	... append a row, then table_add(&t, arena, hash, new_id);
 *
 * A zeroed table is empty; the arena owns its memory.
 */
struct table {
	struct table_slot *slot;
	uint32_t mask;	/* slots - 1; 0 with slot NULL */
	uint32_t count; /* ids stored */
};

#define TABLE_END UINT32_MAX

static inline uint32_t table_start(const struct table *t, uint32_t hash)
{
	return hash & t->mask;
}

static inline uint32_t table_next(const struct table *t, uint32_t i)
{
	return (i + 1) & t->mask;
}

/*
 * The id in slot i if its hash is the one looked for, 0 if another is there,
 * TABLE_END if the search is over.
 */
static inline uint32_t table_id(const struct table *t, uint32_t i,
				uint32_t hash)
{
	if (!t->slot || !t->slot[i].id)
		return TABLE_END;
	return t->slot[i].hash == hash ? t->slot[i].id : 0;
}

/* Stores id, which is neither 0 nor TABLE_END; false: out of memory. */
bool table_add(struct table *t, struct arena *a, uint32_t hash, uint32_t id);

/* Gives t slots of its own, instead of those of the table that it was copied
 * from; false: out of memory. */
bool table_own(struct table *t, struct arena *a);

/* Makes the entry (hash, old_id), which must exist, name new_id instead. */
void table_replace(struct table *t, uint32_t hash, uint32_t old_id,
		   uint32_t new_id);

#endif /* WICK_BASE_TABLE_H */

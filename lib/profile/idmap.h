/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_IDMAP_H
#define WICK_PROFILE_IDMAP_H

#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"

/*
 * From the 64-bit ids in a file to rows of ours.  Ids are mostly 1, 2, 3, …,
 * the rows themselves, and then cost a comparison; other small ones an array
 * access.  Any others go through a hash table, so that memory follows the
 * number of ids and never their size.
 */
struct idmap {
	struct arena *arena;
	uint64_t key;
	uint64_t same;	 /* ids from 1 to this one are their rows */
	uint32_t *dense; /* row of id, for id < dense_count; 0: none */
	uint32_t dense_count;
	struct table sparse;
	VEC(uint64_t) sparse_ids; /* what slot ids - 1 index */
	VEC(uint32_t) sparse_rows;
};

/* expected is how many ids there will be.  Returns 0 or -ENOMEM. */
int idmap_init(struct idmap *m, struct arena *arena, uint32_t expected);

/* Names row (not 0) by id, which is not there yet.  Returns 0 or -ENOMEM. */
int idmap_add(struct idmap *m, uint64_t id, uint32_t row);

uint32_t idmap_find_sparse(const struct idmap *m, uint64_t id);

/* Returns the row, or 0. */
static inline uint32_t idmap_find(const struct idmap *m, uint64_t id)
{
	if (id - 1 < m->same)
		return (uint32_t)id;
	return id < m->dense_count ? m->dense[id] : idmap_find_sparse(m, id);
}

#endif /* WICK_PROFILE_IDMAP_H */

/* SPDX-License-Identifier: MIT */
/* See idmap.h. */
#include "profile/idmap.h"

#include <errno.h>

#include "base/hash.h"

int idmap_init(struct idmap *m, struct arena *arena, uint32_t expected)
{
	uint64_t dense = (uint64_t)expected + 64;

	*m = (struct idmap){ .arena = arena };
	m->dense = ARENA_ARRAY(arena, uint32_t, dense);
	if (!m->dense || dense > UINT32_MAX)
		return -ENOMEM;
	m->dense_count = (uint32_t)dense;
	m->key = hash_key(m->dense);
	return 0;
}

static uint32_t id_hash(const struct idmap *m, uint64_t id)
{
	return hash_u64(hash_fold(m->key, 0, id));
}

uint32_t idmap_find_sparse(const struct idmap *m, uint64_t id)
{
	uint32_t hash = id_hash(m, id);
	uint32_t i = table_start(&m->sparse, hash);
	uint32_t slot;

	for (; (slot = table_id(&m->sparse, i, hash)) != TABLE_END;
	     i = table_next(&m->sparse, i))
		if (slot && m->sparse_ids.at[slot - 1] == id)
			return m->sparse_rows.at[slot - 1];
	return 0;
}

int idmap_add(struct idmap *m, uint64_t id, uint32_t row)
{
	uint64_t *ids;
	uint32_t *rows;

	if (id < m->dense_count) {
		m->dense[id] = row;
		if (id == row && id == m->same + 1)
			m->same++;
		return 0;
	}
	ids = VEC_PUSH(&m->sparse_ids, m->arena);
	rows = VEC_PUSH(&m->sparse_rows, m->arena);
	if (!ids || !rows)
		return -ENOMEM;
	*ids = id;
	*rows = row;
	if (!table_add(&m->sparse, m->arena, id_hash(m, id),
		       m->sparse_ids.count))
		return -ENOMEM;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* See recording_map.h.  A recording without damage has one extent a table. */
#include "format/recording_map.h"

#include "base/check.h"

bool rowmap_begin(struct rowmap *m, struct arena *arena, uint32_t first)
{
	struct row_extent *e;

	ASSERT(first >= m->next);
	if (m->extents.count && first == m->next)
		return true;
	e = VEC_PUSH(&m->extents, arena);
	if (!e)
		return false;
	*e = (struct row_extent){ .first = first, .index = m->ids.count };
	m->next = first;
	return true;
}

bool rowmap_add(struct rowmap *m, struct arena *arena, uint32_t id)
{
	uint32_t *place = VEC_PUSH(&m->ids, arena);

	if (!place)
		return false;
	*place = id;
	m->next++;
	return true;
}

/* The last extent that starts at row or before; there is one. */
static uint32_t extent_of(const struct rowmap *m, uint32_t row)
{
	uint32_t low = 0;
	uint32_t high = m->extents.count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (m->extents.at[middle].first <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool rowmap_search(const struct rowmap *m, uint32_t row, uint32_t *ret)
{
	uint32_t n, index, end;

	if (!m->extents.count || row < m->extents.at[0].first)
		return false;
	n = extent_of(m, row);
	index = m->extents.at[n].index + (row - m->extents.at[n].first);
	end = n + 1 < m->extents.count ? m->extents.at[n + 1].index
				       : m->ids.count;
	if (index >= end || index < m->extents.at[n].index)
		return false;
	*ret = m->ids.at[index];
	return true;
}

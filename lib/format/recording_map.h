/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_RECORDING_MAP_H
#define WICK_FORMAT_RECORDING_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* Rows that follow each other in the file. */
struct row_extent {
	uint32_t first; /* row */
	uint32_t index; /* of its id */
};

/*
 * From the rows of one of a recording's tables to the ids they have in memory.
 * Rows whose block was lost are not there and cost nothing, however many.  The
 * arena owns the memory; zeroed but for next, which is 1, it is empty.
 */
struct rowmap {
	VEC(struct row_extent) extents;
	VEC(uint32_t) ids;
	uint32_t next; /* the row after the last one known of */
};

/* Goes on with row first, not before next.  False: out of memory. */
bool rowmap_begin(struct rowmap *m, struct arena *arena, uint32_t first);

/* Gives the next row its id.  False: out of memory. */
bool rowmap_add(struct rowmap *m, struct arena *arena, uint32_t id);

/* As rowmap_find(), of a table that lacks rows. */
bool rowmap_search(const struct rowmap *m, uint32_t row, uint32_t *ret);

/* Finds the id of a row; false: it is not there. */
static inline bool rowmap_find(const struct rowmap *m, uint32_t row,
			       uint32_t *ret)
{
	if (m->extents.count == 1 &&
	    row - m->extents.at[0].first < m->ids.count) {
		*ret = m->ids.at[row - m->extents.at[0].first];
		return true;
	}
	return rowmap_search(m, row, ret);
}

#endif /* WICK_FORMAT_RECORDING_MAP_H */

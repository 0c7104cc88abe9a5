/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_GOSORT_H
#define WICK_BASE_GOSORT_H

#include "base/idsort.h"

/*
 * Sorts ids as Go's sort.Sort() does: O(n log n), no allocation, not stable.
 * For where Go's programs show equals in the order in which this leaves them;
 * else see sort_ids().
 */
void go_sort(uint32_t *ids, size_t count, sort_before *before,
	     const void *context);

#endif /* WICK_BASE_GOSORT_H */

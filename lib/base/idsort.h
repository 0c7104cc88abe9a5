/* SPDX-License-Identifier: MIT */
/*
 * Sorting of ids: stable, O(n log n) whatever the order, no allocation of its
 * own (libc's qsort() allocates).
 */
#ifndef WICK_BASE_IDSORT_H
#define WICK_BASE_IDSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a goes strictly before b. */
typedef bool sort_before(const void *context, uint32_t a, uint32_t b);

/* Sorts ids; scratch has room for count ids too. */
void sort_ids(uint32_t *ids, uint32_t *scratch, size_t count,
	      sort_before *before, const void *context);

/* Merges from[0] to before from[middle] and the rest up to from[end], each of
 * which is sorted, into to. */
void merge_ids(uint32_t *to, const uint32_t *from, size_t middle, size_t end,
	       sort_before *before, const void *context);

#endif /* WICK_BASE_IDSORT_H */

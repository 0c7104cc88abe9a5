/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_SORT_H
#define WICK_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A row to be put in order: its key, and where the caller finds the rest. */
struct sort_item {
	uint64_t key;
	uint32_t id;
	uint32_t extra; /* the caller's; carried along */
};

/*
 * Sorts by key, ascending; rows of equal keys stay in their order.  Linear
 * time, whatever the input; scratch is room for count items, and what it holds
 * afterwards means nothing.
 */
void sort_items(struct sort_item *items, struct sort_item *scratch,
		size_t count);

/* The first of sorted rows whose key is not below this one; count: none. */
size_t sort_find(const struct sort_item *items, size_t count, uint64_t key);

#endif /* WICK_BASE_SORT_H */

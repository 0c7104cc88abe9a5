/* SPDX-License-Identifier: MIT */
/*
 * Radix sort, least significant byte first.  libc's qsort() may allocate, and
 * address tables have hundreds of thousands of rows that differ in three or
 * four bytes, so passes over bytes that are all equal are left out.
 */
#include "base/sort.h"

#include <string.h>

static void sort_by_byte(const struct sort_item *from, struct sort_item *to,
			 size_t count, unsigned shift)
{
	size_t start[256] = { 0 };
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		start[from[i].key >> shift & 0xff]++;
	for (unsigned b = 0; b < 256; b++) {
		size_t n = start[b];

		start[b] = sum;
		sum += n;
	}
	for (size_t i = 0; i < count; i++)
		to[start[from[i].key >> shift & 0xff]++] = from[i];
}

/* The bits in which keys differ; 0 also if they are in order already. */
static uint64_t bits_to_sort(const struct sort_item *items, size_t count)
{
	uint64_t differ = 0;
	int ordered = 1;

	for (size_t i = 1; i < count; i++) {
		differ |= items[i].key ^ items[i - 1].key;
		ordered &= items[i].key >= items[i - 1].key;
	}
	return ordered ? 0 : differ;
}

void sort_items(struct sort_item *items, struct sort_item *scratch,
		size_t count)
{
	uint64_t differ = bits_to_sort(items, count);
	struct sort_item *from = items;
	struct sort_item *to = scratch;

	for (unsigned shift = 0; shift < 64; shift += 8) {
		struct sort_item *swap = from;

		if (!(differ >> shift & 0xff))
			continue;
		sort_by_byte(from, to, count, shift);
		from = to;
		to = swap;
	}
	if (from != items && count)
		memcpy(items, from, count * sizeof(*items));
}

size_t sort_find(const struct sort_item *items, size_t count, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (items[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

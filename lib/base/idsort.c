/* SPDX-License-Identifier: MIT */
/* Bottom-up merge sort: see idsort.h. */
#include "base/idsort.h"

#include <string.h>

void merge_ids(uint32_t *to, const uint32_t *from, size_t middle, size_t end,
	       sort_before *before, const void *context)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < end; i++) {
		bool take_right = left == middle ||
				  (right < end &&
				   before(context, from[right], from[left]));

		to[i] = take_right ? from[right++] : from[left++];
	}
}

void sort_ids(uint32_t *ids, uint32_t *scratch, size_t count,
	      sort_before *before, const void *context)
{
	uint32_t *from = ids, *to = scratch;

	for (size_t width = 1; width < count; width *= 2) {
		uint32_t *swap = from;

		for (size_t at = 0; at < count; at += 2 * width) {
			size_t left = count - at;
			size_t end = left < 2 * width ? left : 2 * width;
			size_t middle = end < width ? end : width;

			merge_ids(to + at, from + at, middle, end, before,
				  context);
		}
		from = to;
		to = swap;
	}
	if (from != ids && count)
		memcpy(ids, from, count * sizeof(*ids));
}

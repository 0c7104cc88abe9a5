/* SPDX-License-Identifier: MIT */
/* The one growth policy of all columns: double, from a handful of items. */
#include "base/vec.h"

void *vec_grow(struct arena *a, void *at, uint32_t *capacity, uint64_t want,
	       size_t item)
{
	uint64_t room = *capacity ? (uint64_t)*capacity * 2 : 8;
	void *grown;

	if (room < want)
		room = want;
	if (room > UINT32_MAX)
		room = UINT32_MAX;
	if (room < want) {
		a->failed = true;
		return NULL;
	}
	grown = arena_resize(a, at, *capacity * item, room * item);
	if (grown)
		*capacity = (uint32_t)room;
	return grown;
}

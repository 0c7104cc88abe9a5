/* SPDX-License-Identifier: MIT */
/*
 * A column: an array in an arena that grows at its end.  Columns are indexed
 * with 32-bit ids, so count never exceeds UINT32_MAX.  The arena owns the
 * memory; a zeroed VEC is empty and valid.
 *
 *	VEC(struct line) lines = { 0 };
 *	struct line *l = VEC_PUSH(&lines, arena);   (NULL: out of memory)
 *
 * Growing may move the array: keep indexes, not pointers.
 */
#ifndef WICK_BASE_VEC_H
#define WICK_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define VEC(type) \
	struct { \
		type *at; \
		uint32_t count; \
		uint32_t capacity; \
	}

/*
 * Returns the array grown to hold at least want items and updates capacity, or
 * NULL if memory or the 32-bit index ran out; then nothing has changed.
 */
void *vec_grow(struct arena *a, void *at, uint32_t *capacity, uint64_t want,
	       size_t item);

/* Makes room for extra more items; true on success. */
#define VEC_RESERVE(v, arena, extra) \
	((uint64_t)(v)->count + (extra) <= (v)->capacity || ({ \
		 void *grown_ = vec_grow((arena), (v)->at, &(v)->capacity, \
					 (uint64_t)(v)->count + (extra), \
					 sizeof(*(v)->at)); \
		 if (grown_) \
			 (v)->at = grown_; \
		 grown_ != NULL; \
	 }))

/* Appends a zeroed item and returns its place, or NULL. */
#define VEC_PUSH(v, arena) \
	(VEC_RESERVE((v), (arena), 1) ? &(v)->at[(v)->count++] : NULL)

#endif /* WICK_BASE_VEC_H */

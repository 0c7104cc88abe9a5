/* SPDX-License-Identifier: MIT */
#ifndef WICK_DWARF_FLATTEN_H
#define WICK_DWARF_FLATTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* Code that belongs to something. */
struct code_range {
	uint32_t low;
	uint32_t high;	/* exclusive */
	uint32_t owner; /* not 0 */
};

/* From this pc up to the next segment's, code belongs to owner (0: none). */
struct code_segment {
	uint32_t pc;
	uint32_t owner;
};

typedef VEC(struct code_segment) code_segment_vec;

/*
 * Turns ranges that may overlap into disjoint segments in the order of pc:
 * where several ranges cover the same code, the one with the highest owner
 * has it.  Takes working memory from scratch.  False: out of memory.
 */
bool flatten(const struct code_range *range, uint32_t count,
	     code_segment_vec *ret, struct arena *arena, struct arena *scratch);

/* The owner of pc; 0: none.  *near: see bound_above_near(). */
uint32_t code_segments_find(const code_segment_vec *segments, uint32_t pc,
			    uint32_t *near);

#endif /* WICK_DWARF_FLATTEN_H */

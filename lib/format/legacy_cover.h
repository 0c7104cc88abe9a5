/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_COVER_H
#define WICK_FORMAT_LEGACY_COVER_H

#include <stdint.h>

#include "base/vec.h"

struct legacy_build;

struct cover_gap {
	uint32_t mapping; /* index + 1 */
	uint32_t next;	  /* in the list of its node; 0: none */
};

/*
 * Answers which is the first mapping that contains an address.  Entries of a
 * memory map may overlap in any way, and are widened between two questions.
 *
 * Every mapping also has a gap: the addresses just before it that its file
 * offset says are missing.  A gap is closed when its mapping's offset is 0.
 *
 * The memory is the build's arena's.
 */
struct cover {
	const struct legacy_build *b; /* borrowed */
	VEC(uint64_t) bounds;	      /* sorted, each once */
	uint32_t *first;	      /* by node: index + 1; 0: none */
	uint32_t *gap;		      /* by node: index into gaps; 0: none */
	VEC(struct cover_gap) gaps;   /* [0]: none */
};

/* Starts with the mappings that are there.  Returns 0 or -ENOMEM. */
int cover_init(struct cover *c, const struct legacy_build *b);

/*
 * Says that a mapping, by index, contains more than before.  Its new bounds
 * are among those, gaps included, that were there at the start.
 */
void cover_add(struct cover *c, uint32_t mapping);

/* The first mapping that contains address, as index + 1; 0: none. */
uint32_t cover_find(const struct cover *c, uint64_t address);

/* The first mapping whose gap contains address, as index + 1; 0: none. */
uint32_t cover_find_gap(struct cover *c, uint64_t address);

#endif /* WICK_FORMAT_LEGACY_COVER_H */

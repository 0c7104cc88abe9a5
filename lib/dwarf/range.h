/* SPDX-License-Identifier: MIT */
#ifndef WICK_DWARF_RANGE_H
#define WICK_DWARF_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "dwarf/die.h"

/* The addresses of an entry: its low_pc, high_pc and ranges attributes. */
struct dwarf_extent {
	struct dwarf_value low_pc;
	struct dwarf_value high_pc;
	struct dwarf_value ranges;
};

/* A walk over the address ranges of an entry.  Borrows the unit. */
struct range_walk {
	const struct dwarf_cu *cu;
	struct reader list;
	uint64_t base;
	uint64_t low; /* of a single range */
	uint64_t high;
	enum { RANGE_END, RANGE_ONE, RANGE_LIST, RANGE_LIST5 } state;
};

/* Starts a walk; an entry without addresses gives an empty one. */
void range_walk_start(struct range_walk *w, const struct dwarf_cu *cu,
		      const struct dwarf_extent *extent);

/* The next range, high exclusive; false after the last. */
bool range_walk_next(struct range_walk *w, uint64_t *low, uint64_t *high);

#endif /* WICK_DWARF_RANGE_H */

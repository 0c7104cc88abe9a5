/* SPDX-License-Identifier: MIT */
/*
 * A table in the making, shared by the files that read one kind of source
 * each.  First every source lists the stretches of code it describes
 * (pieces); then these are cut so that none overlap; then each is turned into
 * rows, in the order of addresses.
 */
#ifndef WICK_UNWIND_BUILD_H
#define WICK_UNWIND_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/table.h"
#include "base/vec.h"
#include "unwind/rule.h"

struct cie_cache;
struct unwind_source;

/* A stretch of code, relative to build.base, and who describes it. */
struct piece {
	uint32_t lo;
	uint32_t hi;
	uint32_t input; /* hints, a section, Go */
	uint32_t entry; /* which of its entries */
};

struct pieces {
	struct piece *at;
	uint32_t count;
	uint32_t capacity;
};

struct build_row {
	uint32_t offset;
	uint32_t rule;
};

struct build {
	const struct unwind_source *source;
	struct arena work; /* released when the image is done */
	struct cie_cache *cies;
	uint64_t base;	 /* text_lo, rounded down to a page */
	uint64_t budget; /* instructions that may still be run */
	bool partial;
	VEC(struct build_row) rows;
	VEC(struct unwind_rule) rules;
	struct table rule_index;
	VEC(uint8_t) expressions;
};

/* Adds [lo, hi) if it lies in the text, cut to it. */
void pieces_add(struct pieces *list, struct build *b, uint64_t lo, uint64_t hi,
		struct piece who);

/* Sorts, and ends each piece where the next one starts. */
void pieces_settle(struct pieces *list, struct build *b);

/* Adds to high, which is settled, what low says about the gaps in it. */
void pieces_fill(struct pieces *high, const struct pieces *low,
		 struct build *b);

/* Makes rule 0 the one that knows nothing; before any row. */
void build_start(struct build *b);

/*
 * From offset on, rule holds.  Rows come in ascending order.  expression is
 * that of a rule of kind UNWIND_EXPR.
 */
void build_row(struct build *b, uint64_t offset, struct unwind_rule rule,
	       struct span expression);

#endif /* WICK_UNWIND_BUILD_H */

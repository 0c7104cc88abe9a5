/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_BUILDER_H
#define WICK_SYMBOL_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "dwarf/code.h"
#include "dwarf/file.h"
#include "dwarf/line.h"
#include "dwarf/tree.h"

struct search_places;

/*
 * What one thread needs to turn units into indexes: working memory that is
 * used again for each unit, and an arena for the results, which the caller
 * releases when no result is needed any more.  Zeroed, it is ready.
 */
struct builder {
	struct arena scratch;
	struct arena passing; /* working memory of one unit */
	struct arena kept;
	struct tree tree;
	struct line_program lines;
	uint64_t line_budget; /* bytes of line programs still allowed */
	bool started;
};

struct mapped_file;

/* Where the units of a module are. */
struct debug_source {
	const struct dwarf *dwarf;
	const struct dwarf *package;	/* split units, packed; NULL: none */
	const char *path;		/* of the file, to find .dwo files */
	const struct mapped_file *file; /* its mapping; or NULL */
	const struct search_places *places;
	struct code_area area;
};

/* Builds one part of a unit's index; empty if it has none. */
struct span builder_functions(struct builder *b, const struct debug_source *s,
			      const struct dwarf_unit *unit);
struct span builder_lines(struct builder *b, const struct debug_source *s,
			  const struct dwarf_unit *unit);

typedef VEC(struct code_range) code_range_vec;

/*
 * Appends the code ranges of unit number i, from its first entry or, if that
 * has none, from its functions; their owner is unit_count - i, so that of
 * overlapping units the first one wins.  False: out of memory.
 */
bool builder_ranges(struct builder *b, const struct debug_source *s, uint32_t i,
		    code_range_vec *to, struct arena *arena);

/*
 * Appends what .debug_aranges says; where a unit's own list is incomplete
 * (DWARF 2 cannot express more than one range), this has the rest.
 */
bool builder_aranges(const struct debug_source *s, code_range_vec *to,
		     struct arena *arena);

void builder_release(struct builder *b);

#endif /* WICK_SYMBOL_BUILDER_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_DWARF_TREE_H
#define WICK_DWARF_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/vec.h"
#include "dwarf/abbrev.h"
#include "dwarf/die.h"
#include "dwarf/flatten.h"

struct code_area;

/* A function with code of its own, or one inlined into its parent. */
struct tree_node {
	const char *name;   /* linkage name, else plain; "" if none */
	uint32_t parent;    /* node that it was inlined into; 0: none */
	uint32_t call_file; /* where it was inlined: a file number, ... */
	uint32_t call_line;
	uint32_t call_column;
	uint32_t decl_line; /* of the function itself */
};

/* The name and first line of an entry that others refer to. */
struct tree_origin {
	const struct dwarf *file;
	uint64_t offset;
	const char *linkage; /* NULL: none, as the next */
	const char *name;
	uint32_t decl_line;
};

enum {
	TREE_CACHE = 64,
};

/* A unit that entries of another one refer to. */
struct tree_foreign {
	const struct dwarf_unit *unit; /* NULL: the slot is empty */
	struct dwarf_cu cu;
	struct abbrevs abbrevs;
};

/*
 * The functions of one unit at a time.  Zeroed but for arenas and budget, it is
 * ready; using it again for the next unit reuses its memory.  One thread.
 */
struct tree {
	struct arena *arena;   /* borrowed */
	struct arena *passing; /* borrowed; of use during one call only */
	/* Work still allowed, in bytes of tables read more than once: a
	 * hostile file can make each entry refer to another large table. */
	uint64_t budget;
	VEC(struct tree_node) nodes;   /* [0] is no node */
	VEC(struct code_range) ranges; /* owner: the node */
	code_segment_vec segments;
	/* What follows is working memory. */
	struct abbrevs abbrevs;
	VEC(uint32_t) stack;
	VEC(struct tree_origin) origins;
	struct table origin_index;
	struct tree_foreign *foreign; /* TREE_CACHE of them */
};

/*
 * Opens a unit with the tree's own table of abbreviations, which stays until
 * the next call.  False: malformed or out of memory.
 */
bool tree_open_unit(struct tree *t, const struct dwarf *file,
		    const struct dwarf_unit *unit, struct dwarf_cu *cu,
		    struct cu_entry *entry);

/*
 * Reads the functions of cu, which tree_open_unit() opened, into nodes, ranges
 * and segments.  What was read before malformed data is kept.  False: out of
 * memory.
 */
bool tree_build(struct tree *t, const struct dwarf_cu *cu,
		const struct code_area *area);

#endif /* WICK_DWARF_TREE_H */

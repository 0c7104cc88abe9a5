/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_INDEX_H
#define WICK_SYMBOL_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct arena;
struct line_program;
struct tree;

/*
 * What is known of one unit, as bytes: sorted arrays that can be searched where
 * they lie, in memory or in a mapped cache file.  Two parts, so that two
 * threads can build them.  All offsets are checked when used, because a cache
 * file may be damaged.  Program counters are distances from the base of the
 * module's code.
 */
struct index_node {
	uint32_t name;	 /* offset in text */
	uint32_t parent; /* always smaller than the node's own number */
	uint32_t call_file;
	uint32_t call_line;
	uint32_t call_column;
	uint32_t decl_line;
};

struct index_place {
	uint32_t line;
	uint32_t where; /* file << LINE_COLUMN_BITS | column */
};

struct index_file {
	uint32_t directory; /* offsets in text */
	uint32_t name;
};

/* A checked view of the functions of a unit. */
struct function_index {
	const uint32_t *pc;	 /* of segments, ascending */
	const uint32_t *node_of; /* the segment's innermost node; 0: none */
	const struct index_node *node;
	const char *text;
	uint32_t segment_count;
	uint32_t node_count;
	uint32_t text_len;
};

/* A checked view of the lines of a unit. */
struct line_index {
	const uint32_t *pc; /* of rows, ascending */
	const struct index_place *place;
	const struct index_file *file;
	const char *text;
	uint32_t row_count;
	uint32_t file_count;
	uint32_t text_len;
};

/* Writes what the tree or program holds; empty: out of memory. */
struct span function_index_write(const struct tree *t, struct arena *arena,
				 struct arena *scratch);
struct span line_index_write(const struct line_program *p, const char *comp_dir,
			     struct arena *arena, struct arena *scratch);

/* Opens bytes that the above wrote; false if they are not whole. */
bool function_index_open(struct function_index *x, struct span bytes);
bool line_index_open(struct line_index *x, struct span bytes);

/* The innermost node at pc; 0: none.  Fastest in ascending order: *near, 0 at
 * first, remembers where the last answer was. */
uint32_t function_index_find(const struct function_index *x, uint32_t pc,
			     uint32_t *near);

/* The place of pc; NULL: none. */
const struct index_place *line_index_find(const struct line_index *x,
					  uint32_t pc, uint32_t *near);

/* The string at an offset; "" if there is none. */
static inline const char *index_text(const char *text, uint32_t len,
				     uint32_t offset)
{
	return offset < len ? text + offset : "";
}

#endif /* WICK_SYMBOL_INDEX_H */

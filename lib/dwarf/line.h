/* SPDX-License-Identifier: MIT */
#ifndef WICK_DWARF_LINE_H
#define WICK_DWARF_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct code_area;
struct dwarf_cu;

enum {
	LINE_COLUMN_BITS = 12,
	LINE_COLUMN_MAX = (1 << LINE_COLUMN_BITS) - 1,
	LINE_FILE_MAX = (1 << (32 - LINE_COLUMN_BITS)) - 1,
};

/* A file that a line program names. */
struct line_file {
	const char *name;
	uint32_t directory; /* index into directories */
};

/* From this address on, up to the next row, code comes from this place. */
struct line_row {
	uint32_t pc; /* distance from the base of the code */
	uint32_t line;
	uint32_t where; /* file << LINE_COLUMN_BITS | column */
};

/* Rows of consecutive addresses. */
struct line_sequence {
	uint32_t first; /* row */
	uint32_t count;
	uint32_t low;
	uint32_t high; /* exclusive */
};

/*
 * The line program of one unit.  file[i] is the file that the program and the
 * unit's entries call i; directory 0 is the unit's own.  Names are borrowed
 * from the sections, the arena owns the arrays, which may be used again for
 * another unit.
 */
struct line_program {
	uint16_t version;
	uint8_t instruction_size;
	uint8_t line_range;
	uint8_t opcode_base;
	int8_t line_base;
	struct span operand_counts; /* of standard opcodes */
	struct span program;
	VEC(const char *) directories;
	VEC(struct line_file) files;
	VEC(struct line_row) rows;
	VEC(struct line_sequence) sequences;
};

/* Reads the header at offset of the unit's .debug_line; false: malformed. */
bool line_open(struct line_program *p, const struct dwarf_cu *cu,
	       uint64_t offset, struct arena *arena);

/*
 * Runs the program, filling rows and sequences (in the program's order) with
 * those that start in code.  What was read before a malformed instruction is
 * kept.  False: out of memory.
 */
bool line_run(struct line_program *p, const struct code_area *area,
	      struct arena *arena);

#endif /* WICK_DWARF_LINE_H */

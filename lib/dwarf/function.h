/* SPDX-License-Identifier: MIT */
#ifndef WICK_DWARF_FUNCTION_H
#define WICK_DWARF_FUNCTION_H

#include <stdint.h>

#include "dwarf/die.h"
#include "dwarf/range.h"

struct abbrev;

/* What the entry of a function or an inlined call says.  A plain value. */
struct function {
	struct dwarf_extent extent;
	struct dwarf_value origin; /* the entry that says the rest */
	const char *linkage;	   /* NULL: not said here */
	const char *name;	   /* the same */
	uint32_t decl_line;
	uint32_t call_file;
	uint32_t call_line;
	uint32_t call_column;
};

/* Reads the entry of shape a whose attributes r has come to. */
void function_read(const struct dwarf_cu *cu, struct reader *r,
		   const struct abbrev *a, struct function *f);

#endif /* WICK_DWARF_FUNCTION_H */

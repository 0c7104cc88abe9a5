/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_LINECODE_H
#define WICK_REPORT_LINECODE_H

#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct line_group;
struct listing;
struct objects;

/* An instruction that was compiled from a line of a function. */
struct line_instruction {
	int64_t line;
	uint64_t address; /* in its file */
	struct span text;
	int64_t flat; /* what was sampled there */
	int64_t cum;
};

typedef VEC(struct line_instruction) line_instruction_vec;

/*
 * The machine code of a group's lines, by line and then by address: of every
 * function of a binary that the group has samples in, the instructions which
 * debug information gives to the group's function and file, inlined copies
 * included.  Empty where binaries or debug information are missing.  Returns 0
 * or -ENOMEM.
 */
int line_code_find(line_instruction_vec *code, const struct listing *l,
		   const struct line_group *g, struct objects *objects);

#endif /* WICK_REPORT_LINECODE_H */

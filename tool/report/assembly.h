/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_ASSEMBLY_H
#define WICK_REPORT_ASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct arena;
struct elf;
struct error;

/* One machine instruction, in the arena's memory. */
struct instruction {
	uint64_t address; /* in the file */
	struct span text;
};

struct code {
	VEC(struct instruction) instructions;
};

/* Which code: [start, end) of a file, by its own addresses. */
struct code_request {
	const struct elf *elf;
	uint64_t start;
	uint64_t end;
	bool intel; /* Intel's syntax instead of AT&T's, on x86 */
};

/*
 * Disassembles.  Bytes that are no instruction are shown as such and passed
 * over.  Returns 0 or a negative errno with a sentence.
 */
int disassemble(struct code *code, const struct code_request *request,
		struct arena *arena, struct error *err);

#endif /* WICK_REPORT_ASSEMBLY_H */

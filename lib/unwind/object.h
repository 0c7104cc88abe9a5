/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_OBJECT_H
#define WICK_UNWIND_OBJECT_H

#include <stdint.h>

#include "base/span.h"

struct arena;
struct elf;
struct error;

/* What names the table of an object; len 0: nothing does. */
struct unwind_key {
	uint8_t len;
	uint8_t byte[40];
};

/*
 * The build id, and a mark if a debug file adds to what the object knows.
 */
struct unwind_key unwind_object_key(const struct elf *elf,
				    const struct elf *debug);

/*
 * Compiles the table of an ELF object from all it has: .eh_frame (also without
 * section headers), .debug_frame, Go's pclntab, and the names of the few
 * functions at which stacks start or change.  debug is its separate debug
 * file, or NULL.  The key in the image is unwind_object_key().
 * Returns what unwind_compile() does.  Not for signal handlers; any number of
 * threads at once, each with its own arena.
 */
int unwind_object(const struct elf *elf, const struct elf *debug,
		  struct arena *arena, struct span *image, struct error *err);

#endif /* WICK_UNWIND_OBJECT_H */

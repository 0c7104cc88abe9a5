/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_OBJECT_H
#define WICK_UNWIND_OBJECT_H

#include "base/span.h"

struct arena;
struct elf;
struct error;

/*
 * Compiles the table of an ELF object from all it has: .eh_frame (also without
 * section headers), .debug_frame, Go's pclntab, and the names of the few
 * functions at which stacks start or change.  debug is its separate debug
 * file, or NULL.  The key in the image is the build id, if it has one.
 * Returns what unwind_compile() does.  Not for signal handlers; any number of
 * threads at once, each with its own arena.
 */
int unwind_object(const struct elf *elf, const struct elf *debug,
		  struct arena *arena, struct span *image, struct error *err);

#endif /* WICK_UNWIND_OBJECT_H */

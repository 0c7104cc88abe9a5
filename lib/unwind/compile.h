/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_COMPILE_H
#define WICK_UNWIND_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "unwind/cfi.h"
#include "unwind/rule.h"

struct arena;
struct error;

/*
 * A stretch of code whose rule is known from elsewhere, say from its name.  A
 * weak one speaks only where no other source does.
 */
struct unwind_hint {
	uint64_t lo;
	uint64_t hi;
	struct unwind_rule rule;
	bool weak;
};

/* Go's own tables, as golang.h finds them. */
struct go_table {
	struct span functions; /* pairs of (entry, place of its description) */
	struct span details;   /* the descriptions */
	struct span programs;  /* how the stack pointer moves */
	struct span names;
	uint64_t text; /* what the entries are relative to */
	uint32_t n_functions;
	uint8_t quantum;  /* bytes of the smallest instruction */
	uint8_t flags_at; /* where in a description its flags are */
};

/*
 * All that is known about one object.  Where two sources speak of the same
 * address the earlier wins: hints, .eh_frame, Go's tables, .debug_frame, weak
 * hints.  Everything is borrowed.
 */
struct unwind_source {
	uint16_t machine; /* EM_X86_64 or EM_AARCH64 */
	uint64_t text_lo; /* rows outside [lo, hi) are dropped */
	uint64_t text_hi;
	const struct cfi_section *sections;
	unsigned n_sections;
	const struct unwind_hint *hints;
	unsigned n_hints;
	const struct go_table *go; /* or NULL */
	struct span key;	   /* the build id; goes into the header */
};

/*
 * Compiles the image of a table (table.h) into the arena.  Pure: any number of
 * threads may compile at once, each with its own arena.  Damaged parts are
 * left out and UNWIND_PARTIAL is set.  Time and memory are linear in the size
 * of the sources, whatever they hold.  Returns 0, -ENODATA if the sources say
 * nothing at all, -ENOMEM, or -EINVAL for another machine.
 */
int unwind_compile(const struct unwind_source *source, struct arena *arena,
		   struct span *image, struct error *err);

#endif /* WICK_UNWIND_COMPILE_H */

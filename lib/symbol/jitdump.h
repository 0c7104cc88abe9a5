/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_JITDUMP_H
#define WICK_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"
#include "symbol/addrmap.h"

struct arena;
struct error;

/* From this address on, code comes from this place. */
struct jit_line {
	uint64_t address;
	uint32_t line;
	struct span file; /* borrowed from the dump */
};

/*
 * What a just-in-time compiler wrote to jit-PID.dump: which function was where
 * from when on, and its lines.  Times are of the clock that it says.
 */
struct jitdump {
	struct addrmap map; /* first_line and line_count index lines */
	VEC(struct jit_line) lines;
	uint64_t pid;
	bool cycles;	  /* times are the processor's, not CLOCK_MONOTONIC */
	bool cut;	  /* the file ends within a record */
	bool closed;	  /* the program ended in good order */
	uint32_t unknown; /* records of kinds that we do not know */
};

/* Reads a dump; 0, -ENOEXEC if it is not one, -ENOTSUP, or -ENOMEM. */
int jitdump_read(struct jitdump *j, struct span dump, struct arena *arena,
		 struct error *err);

/* The line of an address in an entry of map; NULL: unknown. */
const struct jit_line *jitdump_line(const struct jitdump *j,
				    const struct addrmap_entry *e,
				    uint64_t address);

#endif /* WICK_SYMBOL_JITDUMP_H */

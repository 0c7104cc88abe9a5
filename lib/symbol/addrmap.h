/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_ADDRMAP_H
#define WICK_SYMBOL_ADDRMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct arena;
struct error;

/* Code with a name, from a table that is not an object file. */
struct addrmap_entry {
	uint64_t start;
	uint64_t end;	     /* exclusive */
	uint64_t time;	     /* from when on; 0: always */
	struct span name;    /* not terminated; borrowed */
	uint32_t first_line; /* of the lines of jitdump; see there */
	uint32_t line_count;
};

/*
 * Names by address: the kernel's symbols, or what a just-in-time compiler
 * says.  Entries may overlap, since code memory is used again; of those that
 * cover an address at a time, the latest counts.  The arena owns the entries.
 */
struct addrmap {
	VEC(struct addrmap_entry) entries; /* by start, once sorted */
	uint64_t *reach; /* the highest end of an entry and all before it */
};

/* Appends an entry; false: out of memory.  Empty ones are left out. */
bool addrmap_add(struct addrmap *m, struct arena *arena,
		 const struct addrmap_entry *e);

/* Makes the map ready for lookups; 0 or -ENOMEM. */
int addrmap_sort(struct addrmap *m, struct arena *arena);

/* The entry for an address at a time (UINT64_MAX: the end); NULL: none. */
const struct addrmap_entry *addrmap_find(const struct addrmap *m,
					 uint64_t address, uint64_t time);

/*
 * Reads /proc/kallsyms or a file like it.  Symbols end where the next begins.
 * -EACCES, with a sentence that says what to do, if the kernel hides its
 * addresses; -ENODATA if there are none.
 */
int kallsyms_read(struct addrmap *m, struct span text, struct arena *arena,
		  struct error *err);

/*
 * Reads a perf map, as just-in-time compilers write it to /tmp/perf-PID.map:
 * start and size in hexadecimal, and a name, on each line.  Lines that are not
 * that are counted in *skipped.  0 or -ENOMEM.
 */
int perfmap_read(struct addrmap *m, struct span text, struct arena *arena,
		 uint32_t *skipped);

#endif /* WICK_SYMBOL_ADDRMAP_H */

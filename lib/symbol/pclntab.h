/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_PCLNTAB_H
#define WICK_SYMBOL_PCLNTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct arena;
struct elf;
struct symbol_frame;
struct symtab;

/*
 * Go's own table of functions, lines and inlined calls, which programs carry
 * for their panics and which stripping leaves in.  Go 1.16 and later.  Borrows
 * the file; any number of threads may read it.
 */
struct pclntab {
	struct span table; /* from the header to the end; empty: none */
	struct span names;
	struct span units;  /* of file numbers; 4 bytes each */
	struct span files;  /* names */
	struct span values; /* encoded values by pc */
	struct span functions;
	struct span inlines; /* what inline trees are offsets into */
	uint64_t text;	     /* the address that functions count from */
	uint64_t count;	     /* of functions */
	uint32_t version;    /* 16, 18 or 20: when the layout came up */
	uint8_t quantum;
};

enum {
	PCLNTAB_VALUES = 3, /* kinds that are looked up: file, line, call */
	PCLNTAB_LEVELS = 4, /* of inlined calls that have a place each */
};

/* Where in a table of values the last look-up ended. */
struct pclntab_step {
	uint32_t offset; /* of the table; 0: none yet */
	uint32_t number; /* steps taken */
	uint64_t next;	 /* offset of what follows */
	uint64_t start;	 /* of the code that has this value, from the entry */
	uint64_t end;
	uint64_t value;
};

/*
 * Values are stored as differences, from the start of a function on.  This
 * remembers where the last address was, for addresses in ascending order.
 * Zeroed: nowhere.  One thread at a time.
 */
struct pclntab_cursor {
	struct pclntab_step at[PCLNTAB_VALUES][PCLNTAB_LEVELS];
};

/* Finds the table in a file; false if there is none that can be read. */
bool pclntab_open(struct pclntab *t, const struct elf *elf);

/*
 * The call chain at an address, as module_find() gives it, into frames, which
 * has room for SYMBOL_FRAMES; 0: the table does not have the address.
 */
uint32_t pclntab_find(const struct pclntab *t, struct pclntab_cursor *cursor,
		      uint64_t address, struct symbol_frame *frames);

/*
 * All code symbols of a program: those of its symbol table, and the functions
 * that only Go's table has, as of one that was stripped.  The memory is the
 * arena's.  Returns 0 or -ENOMEM.
 */
int pclntab_add_symbols(const struct pclntab *t, const struct symtab *known,
			struct symtab *ret, struct arena *arena);

#endif /* WICK_SYMBOL_PCLNTAB_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_PCLNTAB_H
#define WICK_SYMBOL_PCLNTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct elf;
struct symbol_frame;

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

/* Finds the table in a file; false if there is none that can be read. */
bool pclntab_open(struct pclntab *t, const struct elf *elf);

/*
 * The call chain at an address, as module_find() gives it, into frames, which
 * has room for SYMBOL_FRAMES; 0: the table does not have the address.
 */
uint32_t pclntab_find(const struct pclntab *t, uint64_t address,
		      struct symbol_frame *frames);

#endif /* WICK_SYMBOL_PCLNTAB_H */

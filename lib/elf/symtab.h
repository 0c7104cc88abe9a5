/* SPDX-License-Identifier: MIT */
#ifndef WICK_ELF_SYMTAB_H
#define WICK_ELF_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct arena;
struct elf;

/* One symbol as the file has it; the name is in the file, terminated. */
struct elf_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint16_t section; /* SHN_UNDEF: defined elsewhere */
	uint8_t type;	  /* STT_FUNC, ... */
	uint8_t bind;	  /* STB_GLOBAL, ... */
};

/* A symbol table section, borrowed from its file. */
struct elf_symbols {
	struct span entries;
	struct span strings;
	size_t count;
};

/* The table of type SHT_SYMTAB or SHT_DYNSYM; false if there is none. */
bool elf_symbols_open(const struct elf *elf, uint32_t type,
		      struct elf_symbols *ret);

/* The i-th symbol; false if there is no such. */
bool elf_symbol_at(const struct elf_symbols *symbols, size_t i,
		   struct elf_symbol *ret);

/* One row of the sorted table. */
struct symtab_row {
	uint64_t address;
	uint64_t size;	  /* at least 1: zero was extended to what follows */
	uint64_t reach;	  /* the highest end of this and all rows before */
	const char *name; /* without "@VERSION"; stubs end in "@plt" */
	uint8_t type;
	uint8_t bind;
	bool sized; /* the file itself gave the size */
};

/*
 * The code symbols of a file, .symtab and .dynsym together, and the stubs of
 * its linkage table, in the order of address.  Of several at one address the
 * one best shown to people comes first: sized before not, global before weak
 * before local, few leading underscores, then a short name.  The arena and the
 * file own the names.  Readable by any number of threads once built.
 */
struct symtab {
	struct symtab_row *row;
	uint32_t count;
};

/* Builds the table; 0 or -ENOMEM.  A file without symbols gives no rows. */
int symtab_build(struct symtab *t, const struct elf *elf, struct arena *arena);

/* The same from several files that describe one module: the program itself,
 * its debug file, its embedded symbols. */
int symtab_build_all(struct symtab *t, const struct elf *elf, unsigned count,
		     struct arena *arena);

/*
 * The row that covers address, the innermost if several do and the preferred
 * one if several are equal; NULL if none does.
 */
const struct symtab_row *symtab_find(const struct symtab *t, uint64_t address);

/* The index of the first row at or above address; count if there is none. */
uint32_t symtab_lower_bound(const struct symtab *t, uint64_t address);

/* The value of the symbol of this name in .symtab; 0 if there is none. */
uint64_t elf_symbol_value(const struct elf *elf, const char *name);

#endif /* WICK_ELF_SYMTAB_H */

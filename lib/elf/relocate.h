/* SPDX-License-Identifier: MIT */
#ifndef WICK_ELF_RELOCATE_H
#define WICK_ELF_RELOCATE_H

#include <stdint.h>

#include "base/span.h"

struct arena;
struct elf;
struct elf_section;
struct elf_symbol;

/*
 * Files that are not linked yet (ET_REL): objects of the compiler and the
 * kernel's modules.  All their sections start at address 0, and what refers to
 * addresses is to be filled in.  For files that are linked, all of this does
 * nothing.
 */

/*
 * Gives each section that takes memory an address of its own, as the kernel
 * does when it loads a module: code from 0 on, in the order of the file, then
 * data, and last what is only needed to start.  The arena owns the new table of
 * headers.  0 or -ENOMEM; then the file stays as it was.
 */
int elf_place_sections(struct elf *elf, struct arena *arena);

/* The address of a symbol, once sections are placed. */
uint64_t elf_symbol_address(const struct elf *elf, const struct elf_symbol *s);

/*
 * Fills in the addresses in the content of a section, of which a copy is made
 * in the arena if need be.  Relocations of kinds that debug information does
 * not have are passed over.  0 or -ENOMEM.
 */
int elf_relocate(const struct elf *elf, const struct elf_section *section,
		 struct arena *arena, struct span *content);

#endif /* WICK_ELF_RELOCATE_H */

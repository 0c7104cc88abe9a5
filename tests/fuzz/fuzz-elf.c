/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes ELF images: headers, notes, symbols, stubs, compressed sections,
 * relocations.
 */
#include "fuzz.h"

#include <elf.h>

#include "base/arena.h"
#include "elf/image.h"
#include "elf/inflate.h"
#include "elf/note.h"
#include "elf/relocate.h"
#include "elf/symtab.h"

enum {
	MEMORY_LIMIT = 32 << 20,
	/* A section may claim megabytes; filling them finds nothing more. */
	SECTION_LIMIT = 256 << 10,
	SECTIONS_LOADED = 16,
};

static void load_sections(const struct elf *elf)
{
	struct arena arena = { .limit = SECTION_LIMIT };
	struct elf_section s;
	struct span bytes;

	for (uint32_t i = 1, n = 0;
	     n < SECTIONS_LOADED && elf_section_at(elf, i, &s); i++) {
		bool packed = (s.flags & SHF_COMPRESSED) ||
			      !strncmp(s.name, ".zdebug", 7);

		/* What is not compressed is not looked at by loading it. */
		if (!packed && elf->type != ET_REL)
			continue;
		n++;
		if (elf_section_load(elf, &s, &arena, &bytes, NULL) == 0)
			(void)elf_relocate(elf, &s, &arena, &bytes);
		arena_release(&arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { .limit = MEMORY_LIMIT };
	struct symtab symbols;
	struct build_id id;
	uint64_t address;
	struct elf elf;

	if (elf_open(&elf, span_of(data, size), NULL) < 0)
		return 0;
	(void)build_id_of(&elf, &id);
	(void)elf_lowest_address(&elf);
	(void)elf_offset_to_address(&elf, size / 2, &address);
	(void)elf_place_sections(&elf, &arena);
	if (symtab_build(&symbols, &elf, &arena) == 0)
		for (uint32_t i = 0; i < symbols.count; i += 1 + i / 8)
			(void)symtab_find(&symbols, symbols.row[i].address + 1);
	load_sections(&elf);
	arena_release(&arena);
	return 0;
}

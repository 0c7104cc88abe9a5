/* SPDX-License-Identifier: MIT */
/* Fuzzes ELF images: headers, notes, symbols, stubs, compressed sections. */
#include "fuzz.h"

#include <elf.h>

#include "base/arena.h"
#include "elf/image.h"
#include "elf/inflate.h"
#include "elf/note.h"
#include "elf/symtab.h"

enum {
	MEMORY_LIMIT = 256 << 20,
	SECTIONS_LOADED = 64,
};

static void load_sections(const struct elf *elf, struct arena *arena)
{
	struct elf_section s;
	struct span bytes;

	for (uint32_t i = 0; i < SECTIONS_LOADED; i++)
		if (elf_section_at(elf, i, &s))
			(void)elf_section_load(elf, &s, arena, &bytes, NULL);
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
	if (symtab_build(&symbols, &elf, &arena) == 0)
		for (uint32_t i = 0; i < symbols.count; i += 1 + i / 8)
			(void)symtab_find(&symbols, symbols.row[i].address + 1);
	load_sections(&elf, &arena);
	arena_release(&arena);
	return 0;
}

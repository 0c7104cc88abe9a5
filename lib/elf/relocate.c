/* SPDX-License-Identifier: MIT */
/* See relocate.h. */
#include "elf/relocate.h"

#include <elf.h>
#include <errno.h>

#include "base/arena.h"
#include "elf/image.h"
#include "elf/symtab.h"

/* The parts of a module in memory, in their order. */
enum part {
	PART_CODE,
	PART_DATA,
	PART_START, /* freed after the module was started */
	PARTS,
};

static enum part part_of(const struct elf_section *s)
{
	if (!strncmp(s->name, ".init", 5))
		return PART_START;
	return s->flags & SHF_EXECINSTR ? PART_CODE : PART_DATA;
}

/* Puts the sections of one part behind each other from *at on. */
static void place_part(const struct elf *elf, Elf64_Shdr *header,
		       enum part part, uint64_t *at)
{
	struct elf_section s;

	for (uint32_t i = 1; elf_section_at(elf, i, &s); i++) {
		uint64_t align = header[i].sh_addralign;

		if (!(s.flags & SHF_ALLOC) || part_of(&s) != part)
			continue;
		if (align & (align - 1) || align > UINT32_MAX)
			align = 1;
		if (align > 1)
			*at = (*at + align - 1) & ~(align - 1);
		header[i].sh_addr = *at;
		/* A size beyond reason would let others lie in its way. */
		if (s.size < UINT32_MAX && *at < UINT64_MAX / 2)
			*at += s.size;
	}
}

int elf_place_sections(struct elf *elf, struct arena *arena)
{
	Elf64_Shdr *header;
	uint64_t at = 0;

	if (elf->type != ET_REL || !elf->section_count)
		return 0;
	header = ARENA_ARRAY(arena, Elf64_Shdr, elf->section_count);
	if (!header)
		return -ENOMEM;
	memcpy(header, elf->sections.at, elf->sections.len);
	for (enum part part = 0; part < PARTS; part++)
		place_part(elf, header, part, &at);
	elf->sections.at = (const uint8_t *)header;
	return 0;
}

uint64_t elf_symbol_address(const struct elf *elf, const struct elf_symbol *s)
{
	struct elf_section section;

	if (elf->type != ET_REL || s->section >= SHN_LORESERVE ||
	    !elf_section_at(elf, s->section, &section))
		return s->value;
	return section.address + s->value;
}

/* How many bytes a relocation fills with symbol + addend; 0: another kind. */
static unsigned width_of(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		if (type == R_X86_64_64)
			return 8;
		return type == R_X86_64_32 || type == R_X86_64_32S ? 4 : 0;
	case EM_AARCH64:
		if (type == R_AARCH64_ABS64)
			return 8;
		return type == R_AARCH64_ABS32 ? 4 : 0;
	default:
		return 0;
	}
}

static void apply(const struct elf *elf, const struct elf_symbols *symbols,
		  struct span table, struct span content)
{
	uint8_t *bytes = (uint8_t *)content.at;
	struct elf_symbol s;
	Elf64_Rela r;

	for (; table.len >= sizeof(r);
	     table = span_part(table, sizeof(r), table.len - sizeof(r))) {
		unsigned width;
		uint64_t value;

		memcpy(&r, table.at, sizeof(r));
		width = width_of(elf->machine,
				 (uint32_t)ELF64_R_TYPE(r.r_info));
		if (!width || content.len < width ||
		    r.r_offset > content.len - width ||
		    !elf_symbol_at(symbols, ELF64_R_SYM(r.r_info), &s))
			continue;
		value = elf_symbol_address(elf, &s) + (uint64_t)r.r_addend;
		memcpy(bytes + r.r_offset, &value, width);
	}
}

int elf_relocate(const struct elf *elf, const struct elf_section *section,
		 struct arena *arena, struct span *content)
{
	struct elf_symbols symbols;
	struct elf_section s;
	uint8_t *copy = NULL;

	if (elf->type != ET_REL || !content->len ||
	    !elf_symbols_open(elf, SHT_SYMTAB, &symbols))
		return 0;
	for (uint32_t i = 1; elf_section_at(elf, i, &s); i++) {
		if (s.type != SHT_RELA || s.info != section->index)
			continue;
		if (!copy) {
			copy = arena_alloc(arena, content->len);
			if (!copy)
				return -ENOMEM;
			memcpy(copy, content->at, content->len);
			*content = span_of(copy, content->len);
		}
		apply(elf, &symbols, elf_section_bytes(elf, &s), *content);
	}
	return 0;
}

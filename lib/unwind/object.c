/* SPDX-License-Identifier: MIT */
/*
 * Gathers what an ELF file knows about unwinding and has it compiled.
 */
#include "unwind/object.h"

#include <elf.h>
#include <errno.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "elf/image.h"
#include "elf/inflate.h"
#include "elf/note.h"
#include "elf/symtab.h"
#include "unwind/compile.h"
#include "unwind/golang.h"
#include "unwind/names.h"
#include "unwind/table.h"

enum {
	SECTIONS = 3, /* .eh_frame, .debug_frame here and in the debug file */
	MOST_HINTS = 64,
	UNSIZED = 16, /* bytes taken for a function that does not say */
	START_CODE = 96,
};

struct gathered {
	struct cfi_section sections[SECTIONS];
	unsigned n_sections;
	struct unwind_hint hints[MOST_HINTS];
	unsigned n_hints;
	struct go_table go;
	struct unwind_key key;
};

static void hint_symbols(struct gathered *g, const struct elf *elf,
			 uint32_t type)
{
	struct elf_symbols symbols;
	struct elf_symbol s;

	if (!elf_symbols_open(elf, type, &symbols))
		return;
	for (size_t i = 0; elf_symbol_at(&symbols, i, &s); i++) {
		struct unwind_hint hint;

		if (s.section == SHN_UNDEF || g->n_hints == MOST_HINTS ||
		    !unwind_name_hint(s.name, elf->machine, &hint))
			continue;
		/* lo is how far before the function its rule holds. */
		hint.lo += s.value;
		hint.hi = s.value + (s.size ? s.size : UNSIZED);
		g->hints[g->n_hints++] = hint;
	}
}

/* Stacks start where the kernel starts the program, or its loader. */
static void hint_entry(struct gathered *g, const struct elf *elf)
{
	if (elf->entry && g->n_hints < MOST_HINTS)
		g->hints[g->n_hints++] = (struct unwind_hint){
			.lo = elf->entry,
			.hi = elf->entry + START_CODE,
			.rule.kind = UNWIND_END,
			.weak = true,
		};
}

/* Objects without section headers still tell the loader where to look. */
static void add_by_segment(struct gathered *g, const struct elf *elf)
{
	struct elf_segment header;
	struct cfi_header from = { 0 };

	if (!elf_find_segment(elf, PT_GNU_EH_FRAME, &header))
		return;
	from.hdr = elf_bytes_at(elf, header.address, header.file_size);
	from.hdr_addr = header.address;
	/* The entries follow, or come shortly before, in the same segment. */
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		struct elf_segment load;

		if (!elf_segment_at(elf, i, &load) || load.type != PT_LOAD ||
		    header.address - load.address >= load.file_size)
			continue;
		from.segment = elf_segment_bytes(elf, &load);
		from.segment_addr = load.address;
		if (!cfi_from_header(&from, &g->sections[g->n_sections]))
			g->n_sections++;
		return;
	}
}

static void add_section(struct gathered *g, const struct elf *elf,
			const char *name, struct arena *arena)
{
	struct elf_section section;
	struct span bytes;

	if (!elf_find_section(elf, name, &section) ||
	    section.type == SHT_NOBITS)
		return;
	/* A section that does not decompress is as good as absent. */
	if (elf_section_load(elf, &section, arena, &bytes, NULL) < 0 ||
	    !bytes.len)
		return;
	g->sections[g->n_sections++] = (struct cfi_section){
		.bytes = bytes,
		.addr = section.address,
		.debug = name[1] == 'd',
	};
}

/* The addresses at which there can be code. */
static void find_text(const struct elf *elf, struct unwind_source *source)
{
	struct elf_segment s;

	source->text_lo = UINT64_MAX;
	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++) {
		uint64_t end = s.address + s.memory_size;

		if (s.type != PT_LOAD || !(s.flags & PF_X) || end < s.address)
			continue;
		if (s.address < source->text_lo)
			source->text_lo = s.address;
		if (end > source->text_hi)
			source->text_hi = end;
	}
	if (source->text_lo > source->text_hi)
		source->text_lo = source->text_hi;
}

struct unwind_key unwind_object_key(const struct elf *elf,
				    const struct elf *debug)
{
	struct unwind_key key = { 0 };
	struct build_id id;

	if (!build_id_of(elf, &id) || id.len >= sizeof(key.byte))
		return key;
	memcpy(key.byte, id.byte, id.len);
	key.len = id.len;
	if (debug)
		key.byte[key.len++] = 'd';
	return key;
}

static void gather(struct gathered *g, const struct elf *elf,
		   const struct elf *debug, struct arena *scratch)
{
	add_section(g, elf, ".eh_frame", scratch);
	if (!g->n_sections)
		add_by_segment(g, elf);
	add_section(g, elf, ".debug_frame", scratch);
	hint_entry(g, elf);
	hint_symbols(g, elf, SHT_SYMTAB);
	hint_symbols(g, elf, SHT_DYNSYM);
	if (debug) {
		add_section(g, debug, ".debug_frame", scratch);
		hint_symbols(g, debug, SHT_SYMTAB);
	}
	g->key = unwind_object_key(elf, debug);
}

int unwind_object(const struct elf *elf, const struct elf *debug,
		  struct arena *arena, struct span *image, struct error *err)
{
	struct arena scratch = { 0 };
	struct gathered *g = ARENA_NEW(&scratch, struct gathered);
	struct unwind_source source = { .machine = elf->machine };
	int ret;

	if (!g)
		return error_set(err, -ENOMEM, "not enough memory");
	find_text(elf, &source);
	gather(g, elf, debug, &scratch);
	source.sections = g->sections;
	source.n_sections = g->n_sections;
	source.hints = g->hints;
	source.n_hints = g->n_hints;
	source.go = go_open(elf, &g->go) ? &g->go : NULL;
	source.key = span_of(g->key.byte, g->key.len);
	ret = unwind_compile(&source, arena, image, err);
	arena_release(&scratch);
	return ret;
}

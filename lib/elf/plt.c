/* SPDX-License-Identifier: MIT */
/*
 * Names for the procedure linkage table.  Linkers lay it out in many ways
 * (.plt, .plt.sec, .plt.got, with and without branch protection), so the stubs
 * themselves are read: each loads an address from a slot of the global offset
 * table, and the relocation of that slot has the name.
 */
#include "elf/plt.h"

#include <elf.h>

#include "base/span.h"
#include "elf/image.h"
#include "elf/symtab.h"

enum {
	SLOTS_MAX = 1 << 16, /* relocations looked through for one slot */
	INSTRUCTION = 4,     /* of aarch64 */
};

/* The relocations of a file and the symbols that they name. */
struct relocations {
	struct span entries;
	struct elf_symbols symbols;
	size_t next; /* where the last search ended: stubs are in order */
};

/* The name of the function whose address goes to slot; NULL: unknown. */
static const char *target_of(struct relocations *r, uint64_t slot)
{
	size_t count = r->entries.len / sizeof(Elf64_Rela);
	struct elf_symbol symbol;
	Elf64_Rela rela;

	for (size_t n = 0; n < count && n < SLOTS_MAX; n++) {
		size_t i = (r->next + n) % count;

		memcpy(&rela, r->entries.at + i * sizeof(rela), sizeof(rela));
		if (rela.r_offset != slot)
			continue;
		r->next = i + 1;
		if (!elf_symbol_at(&r->symbols, ELF64_R_SYM(rela.r_info),
				   &symbol) ||
		    !symbol.name[0])
			return NULL;
		return symbol.name;
	}
	return NULL;
}

/* The slot that an x86-64 stub jumps through: "jmp *disp(%rip)". */
static bool slot_x86_64(struct span code, uint64_t address, uint64_t *slot)
{
	for (size_t i = 0; i + 6 <= code.len; i++) {
		int32_t distance;

		if (code.at[i] != 0xff || code.at[i + 1] != 0x25)
			continue;
		memcpy(&distance, code.at + i + 2, sizeof(distance));
		*slot = address + i + 6 + (uint64_t)(int64_t)distance;
		return true;
	}
	return false;
}

/* The slot that an aarch64 stub loads from: "adrp x16; ldr x17, [x16]". */
static bool slot_aarch64(struct span code, uint64_t address, uint64_t *slot)
{
	for (size_t i = 0; i + 2 * INSTRUCTION <= code.len; i += INSTRUCTION) {
		uint32_t adrp, ldr;
		int64_t page;

		memcpy(&adrp, code.at + i, sizeof(adrp));
		memcpy(&ldr, code.at + i + INSTRUCTION, sizeof(ldr));
		if ((adrp & 0x9f00001f) != 0x90000010 ||
		    (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		page = (int64_t)((uint64_t)(adrp >> 5 & 0x7ffff) << 45) >> 43;
		page |= adrp >> 29 & 3;
		*slot = ((address + i) & ~0xfffull) + ((uint64_t)page << 12) +
			(ldr >> 10 & 0xfff) * 8;
		return true;
	}
	return false;
}

static bool slot_of(const struct elf *elf, struct span code, uint64_t address,
		    uint64_t *slot)
{
	switch (elf->machine) {
	case EM_X86_64:
		return slot_x86_64(code, address, slot);
	case EM_AARCH64:
		return slot_aarch64(code, address, slot);
	default:
		return false;
	}
}

/* How large the stubs of a section are. */
static uint64_t stub_size(const struct elf *elf, const struct elf_section *s)
{
	/* Some linkers state 4, the size of an instruction, or nothing. */
	if (elf->machine == EM_X86_64 &&
	    (s->entry_size == 8 || s->entry_size == 16))
		return s->entry_size;
	return 16;
}

/* Looks for the target in the relocations of the PLT, then in the others. */
static const char *name_of(struct relocations *r, unsigned count, uint64_t slot)
{
	for (unsigned i = 0; i < count; i++) {
		const char *name = target_of(&r[i], slot);

		if (name)
			return name;
	}
	return NULL;
}

static unsigned open_relocations(const struct elf *elf, struct relocations *r)
{
	static const char *const names[] = { ".rela.plt", ".rela.dyn" };
	struct elf_symbols symbols;
	unsigned count = 0;

	if (!elf_symbols_open(elf, SHT_DYNSYM, &symbols))
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		struct elf_section s;

		if (elf_find_section(elf, names[i], &s))
			r[count++] = (struct relocations){
				.entries = elf_section_bytes(elf, &s),
				.symbols = symbols,
			};
	}
	return count;
}

void plt_for_each(const struct elf *elf,
		  bool (*fn)(void *context, const struct plt_stub *stub),
		  void *context)
{
	struct relocations r[2];
	unsigned count = open_relocations(elf, r);
	struct elf_section s;

	for (uint32_t i = 1; count && elf_section_at(elf, i, &s); i++) {
		struct span code = elf_section_bytes(elf, &s);
		uint64_t size = stub_size(elf, &s);
		uint64_t slot;

		if (strncmp(s.name, ".plt", 4) != 0)
			continue;
		for (uint64_t at = 0; at + size <= code.len; at += size) {
			struct plt_stub stub = {
				.address = s.address + at,
				.size = size,
			};

			if (!slot_of(elf, span_part(code, at, size),
				     stub.address, &slot))
				continue;
			stub.target = name_of(r, count, slot);
			if (stub.target && !fn(context, &stub))
				return;
		}
	}
}

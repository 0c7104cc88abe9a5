/* SPDX-License-Identifier: MIT */
/* Fuzzes Go's table of lines: the input is the table, in a file around it. */
#include "fuzz.h"

#include <elf.h>
#include <string.h>

#include "elf/image.h"
#include "symbol/module.h"
#include "symbol/pclntab.h"

enum {
	TABLE_MAX = 1 << 16,
	LOOKUPS = 256,
};

/* A file of one section, in one segment that is mapped where it lies. */
static struct {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr section[3];
	char names[32];
	uint8_t table[TABLE_MAX];
} file;

static void make_file(const uint8_t *data, size_t size)
{
	const size_t names = offsetof(typeof(file), names);
	const size_t table = offsetof(typeof(file), table);

	file.header = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_phoff = offsetof(typeof(file), segment),
		.e_shoff = offsetof(typeof(file), section),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 1,
	};
	file.segment = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_filesz = table + size,
		.p_memsz = table + size,
	};
	file.section[1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = names,
		.sh_size = sizeof(file.names),
	};
	file.section[2] = (Elf64_Shdr){
		.sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_addr = table,
		.sh_offset = table,
		.sh_size = size,
	};
	memcpy(file.names, "\0.gopclntab", 12);
	memcpy(file.table, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct symbol_frame frame[SYMBOL_FRAMES];
	const struct symtab known = { 0 };
	struct pclntab_cursor cursor = { 0 };
	struct arena arena = { 0 };
	struct symtab symbols;
	struct pclntab t;
	struct elf elf;

	if (size > TABLE_MAX)
		return 0;
	make_file(data, size);
	if (elf_open(&elf, span_of(&file, offsetof(typeof(file), table) + size),
		     NULL) < 0 ||
	    !pclntab_open(&t, &elf))
		return 0;
	for (uint64_t i = 0; i < LOOKUPS; i++)
		(void)pclntab_find(&t, &cursor, t.text + i * 16, frame);
	/* They must be in order, whatever the file says. */
	if (pclntab_add_symbols(&t, &known, &symbols, &arena) == 0)
		for (uint32_t i = 1; i < symbols.count; i++)
			if (symbols.row[i].address < symbols.row[i - 1].address)
				__builtin_trap();
	arena_release(&arena);
	return 0;
}

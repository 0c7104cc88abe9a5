/* SPDX-License-Identifier: MIT */
/* ELF images: what is refused, what is found, what is not believed. */
#include "test.h"

#include <elf.h>
#include <errno.h>
#include <libdeflate.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "elf/image.h"
#include "elf/inflate.h"
#include "elf/note.h"
#include "elf/symtab.h"
#include "symbol/file.h"

static Elf64_Ehdr good_header(void)
{
	return (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
	};
}

static int open_header(const Elf64_Ehdr *header, struct error *err)
{
	struct elf elf;

	return elf_open(&elf, span_of(header, sizeof(*header)), err);
}

TEST(a_file_of_32_bits_is_refused_by_name)
{
	Elf64_Ehdr header = good_header();
	struct error err;

	header.e_ident[EI_CLASS] = ELFCLASS32;
	CHECK_EQ(open_header(&header, &err), -ENOTSUP);
	CHECK_STR(err.text, "a 32-bit ELF file; wick reads 64-bit ones");
}

TEST(a_big_endian_file_is_refused_by_name)
{
	Elf64_Ehdr header = good_header();
	struct error err;

	header.e_ident[EI_DATA] = ELFDATA2MSB;
	CHECK_EQ(open_header(&header, &err), -ENOTSUP);
	CHECK_STR(err.text,
		  "a big-endian ELF file; wick reads little-endian ones");
}

TEST(what_is_not_elf_is_refused)
{
	struct elf elf;
	struct error err;

	CHECK_EQ(elf_open(&elf, span_text("#!/bin/sh\n"), &err), -ENOEXEC);
	CHECK_STR(err.text, "not an ELF file");
	CHECK_EQ(elf_open(&elf, (struct span){ 0 }, &err), -ENOEXEC);
}

TEST(a_file_cut_in_its_header_is_refused)
{
	Elf64_Ehdr header = good_header();
	struct elf elf;
	struct error err;

	CHECK_EQ(elf_open(&elf, span_of(&header, sizeof(header) - 1), &err),
		 -ENOEXEC);
}

TEST(tables_outside_the_file_are_absent_not_read)
{
	Elf64_Ehdr header = good_header();
	struct elf_section section;
	struct elf_segment segment;
	struct elf elf;

	header.e_shoff = UINT64_MAX - 8;
	header.e_shnum = 7;
	header.e_phoff = sizeof(header) - 4;
	header.e_phnum = 9;
	CHECK_EQ(elf_open(&elf, span_of(&header, sizeof(header)), NULL), 0);
	CHECK(elf.truncated);
	CHECK(!elf_section_at(&elf, 0, &section));
	CHECK(!elf_segment_at(&elf, 0, &segment));
	CHECK_EQ(elf_lowest_address(&elf), 0);
}

/* As lld lays them out: one page of the file is in both segments. */
TEST(a_mapping_of_code_belongs_to_the_segment_of_code)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment[2];
	} file = {
		.header = good_header(),
		.segment = {
			{ .p_type = PT_LOAD,
			  .p_flags = PF_R,
			  .p_filesz = 0x12f44 },
			{ .p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_offset = 0x12f50,
			  .p_vaddr = 0x13f50,
			  .p_filesz = 0x3d230 },
		},
	};
	uint64_t address = 0;
	struct elf elf;

	file.header.e_phoff = sizeof(file.header);
	file.header.e_phnum = 2;
	CHECK_EQ(elf_open(&elf, span_of(&file, sizeof(file)), NULL), 0);
	CHECK(elf_code_mapping_address(&elf, 0x12000, &address));
	CHECK_EQ(address, 0x13000);
	CHECK(elf_code_mapping_address(&elf, 0x20000, &address));
	CHECK_EQ(address, 0x21000);
	CHECK(!elf_code_mapping_address(&elf, 0x60000, &address));
	CHECK(!elf_code_mapping_address(&elf, 0x1000, &address));
}

/* This very program. */
static struct mapped_file self;

static void open_self(struct elf *elf)
{
	if (!self.bytes.len)
		CHECK_EQ(file_map(&self, "/proc/self/exe", NULL), 0);
	CHECK_EQ(elf_open(elf, self.bytes, NULL), 0);
}

TEST(the_symbols_of_a_program_are_found_by_address)
{
	struct arena arena = { 0 };
	struct symtab t;
	struct elf elf;
	unsigned seen = 0;

	open_self(&elf);
	CHECK_EQ(symtab_build(&t, &elf, &arena), 0);
	for (uint32_t i = 0; i < t.count; i++) {
		const struct symtab_row *row = &t.row[i];

		if (strcmp(row->name, "elf_open") != 0)
			continue;
		seen++;
		CHECK(symtab_find(&t, row->address + row->size - 1) == row);
		CHECK(symtab_find(&t, row->address) == row);
	}
	CHECK_EQ(seen, 1);
	CHECK(!symtab_find(&t, 0));
	CHECK(!symtab_find(&t, UINT64_MAX));
	arena_release(&arena);
}

TEST(symbols_are_sorted_and_their_sizes_never_empty)
{
	struct arena arena = { 0 };
	struct symtab t;
	struct elf elf;

	open_self(&elf);
	CHECK_EQ(symtab_build(&t, &elf, &arena), 0);
	for (uint32_t i = 0; i < t.count; i++) {
		CHECK(t.row[i].size > 0);
		CHECK(!i || t.row[i - 1].address <= t.row[i].address);
		CHECK(!strchr(t.row[i].name, '@') ||
		      strstr(t.row[i].name, "@plt"));
	}
	arena_release(&arena);
}

TEST(stubs_of_the_linkage_table_have_names)
{
	struct arena arena = { 0 };
	struct symtab t;
	struct elf elf;
	bool found = false;

	open_self(&elf);
	CHECK_EQ(symtab_build(&t, &elf, &arena), 0);
	for (uint32_t i = 0; i < t.count; i++)
		found |= strcmp(t.row[i].name, "memcmp@plt") == 0;
	arena_release(&arena);
	if (!found)
		SKIP("built without stubs");
}

TEST(a_build_id_is_read_and_written)
{
	const char *text = "00ff1234abcdef";
	struct build_id id, other;
	char buf[BUILD_ID_TEXT];

	CHECK(build_id_parse(span_text(text), &id));
	CHECK_EQ(id.len, 7);
	CHECK_STR(build_id_text(&id, buf), text);
	CHECK(!build_id_parse(span_text("abc"), &other));
	CHECK(!build_id_parse(span_text("zz"), &other));
	CHECK(!build_id_parse(span_text(""), &other));
	other = (struct build_id){ 0 };
	CHECK(!build_id_equal(&other, &other));
	CHECK(build_id_equal(&id, &id));
}

TEST(a_note_that_is_cut_ends_the_notes)
{
	const struct {
		Elf64_Nhdr header;
		char owner[4];
		uint8_t id[4];
	} note = {
		.header = { .n_namesz = 4,
			    .n_descsz = 4,
			    .n_type = NT_GNU_BUILD_ID },
		.owner = "GNU",
		.id = { 1, 2, 3, 4 },
	};
	struct build_id id;

	CHECK(build_id_in_notes(span_of(&note, sizeof(note)), &id));
	CHECK_EQ(id.len, 4);
	CHECK_EQ(id.byte[3], 4);
	for (size_t len = 0; len < sizeof(note); len++)
		CHECK(!build_id_in_notes(span_of(&note, len), &id));
}

/* A compressed section of a file that is nothing else. */
struct packed {
	Elf64_Ehdr header;
	Elf64_Chdr compression;
	uint8_t data[256];
};

static int load_packed(struct packed *p, uint64_t size, uint32_t method,
		       struct arena *arena, struct span *ret)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	char text[1000] = "a section";
	struct elf_section section = {
		.name = ".debug_info",
		.type = SHT_PROGBITS,
		.flags = SHF_COMPRESSED,
		.offset = offsetof(struct packed, compression),
	};
	struct elf elf;
	size_t len = libdeflate_zlib_compress(c, text, sizeof(text), p->data,
					      sizeof(p->data));

	libdeflate_free_compressor(c);
	p->header = good_header();
	p->compression = (Elf64_Chdr){ .ch_type = method, .ch_size = size };
	section.size = sizeof(p->compression) + len;
	CHECK_EQ(elf_open(&elf, span_of(p, sizeof(*p)), NULL), 0);
	return elf_section_load(&elf, &section, arena, ret, NULL);
}

TEST(a_compressed_section_is_unpacked)
{
	struct arena arena = { 0 };
	struct packed p;
	struct span s;

	CHECK_EQ(load_packed(&p, 1000, ELFCOMPRESS_ZLIB, &arena, &s), 0);
	CHECK_EQ(s.len, 1000);
	CHECK_STR((const char *)s.at, "a section");
	arena_release(&arena);
}

TEST(a_section_that_lies_about_its_size_is_refused)
{
	struct arena arena = { 0 };
	struct packed p;
	struct span s;

	CHECK_EQ(load_packed(&p, 999, ELFCOMPRESS_ZLIB, &arena, &s), -EBADMSG);
	CHECK_EQ(load_packed(&p, 1001, ELFCOMPRESS_ZLIB, &arena, &s), -EBADMSG);
	CHECK_EQ(load_packed(&p, 1ull << 40, ELFCOMPRESS_ZLIB, &arena, &s),
		 -E2BIG);
	CHECK_EQ(load_packed(&p, 1000, 77, &arena, &s), -ENOTSUP);
	CHECK(arena.mapped < 16 << 20);
	arena_release(&arena);
}

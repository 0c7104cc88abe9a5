/* SPDX-License-Identifier: MIT */
/*
 * Files that are not linked.  The objects are seeds of the fuzzer: f(), and
 * g() in .init.text, by gcc for both machines.
 */
#include "elf/relocate.h"

#include <elf.h>
#include <errno.h>

#include "base/arena.h"
#include "elf/image.h"
#include "elf/symtab.h"
#include "symbol/module.h"
#include "test.h"

#define CORPUS SOURCE_ROOT "/tests/fuzz/corpus/elf/"

static struct symbol_frame frame[SYMBOL_FRAMES];

static void open_file(struct mapped_file *f, struct elf *elf, const char *path)
{
	CHECK_EQ(file_map(f, path, NULL), 0);
	CHECK_EQ(elf_open(elf, f->bytes, NULL), 0);
}

static uint64_t address_of(const struct elf *elf, const char *name)
{
	struct elf_section s;

	CHECK(elf_find_section(elf, name, &s));
	return s.address;
}

TEST(code_comes_first_and_what_only_starts_last)
{
	struct arena arena = { 0 };
	struct mapped_file f;
	struct elf elf;

	open_file(&f, &elf, CORPUS "gcc-o");
	CHECK_EQ(address_of(&elf, ".init.text"), 0);
	CHECK_EQ(elf_place_sections(&elf, &arena), 0);
	CHECK_EQ(address_of(&elf, ".text"), 0);
	CHECK(address_of(&elf, ".eh_frame") > 0);
	CHECK(address_of(&elf, ".init.text") > address_of(&elf, ".eh_frame"));
	CHECK_EQ(address_of(&elf, ".debug_info"), 0);
	file_unmap(&f);
	arena_release(&arena);
}

TEST(a_linked_file_stays_as_it_was)
{
	struct arena arena = { 0 };
	struct mapped_file f;
	struct elf elf;
	const uint8_t *before;

	open_file(&f, &elf, CORPUS "gcc-5");
	before = elf.sections.at;
	CHECK_EQ(elf_place_sections(&elf, &arena), 0);
	CHECK(elf.sections.at == before);
	CHECK_EQ(arena.mapped, 0);
	file_unmap(&f);
}

TEST(without_memory_the_file_stays_as_it_was)
{
	struct arena arena = { .limit = 1 };
	struct mapped_file f;
	struct elf elf;

	open_file(&f, &elf, CORPUS "gcc-o");
	CHECK_EQ(elf_place_sections(&elf, &arena), -ENOMEM);
	CHECK_EQ(address_of(&elf, ".init.text"), 0);
	file_unmap(&f);
	arena_release(&arena);
}

/* Both functions have their own name and line, though both start at 0. */
static void check_functions(const char *path)
{
	const struct module_options options = { .no_search = true };
	struct module m;
	uint64_t init;
	uint32_t n;

	CHECK_EQ(module_open(&m, path, &options, NULL), 0);
	init = address_of(&m.elf, ".init.text");
	CHECK_EQ(module_find(&m, 0, frame), 1);
	CHECK_STR(frame[0].function, "f");
	CHECK_EQ(frame[0].line, 1);
	/* f() is inlined into it. */
	n = module_find(&m, init, frame);
	CHECK(n >= 1);
	CHECK_STR(frame[n - 1].function, "g");
	CHECK_EQ(frame[n - 1].line, 2);
	module_close(&m);
}

TEST(debug_information_names_each_function_of_an_object)
{
	check_functions(CORPUS "gcc-o");
	check_functions(CORPUS "arm-o");
}

TEST(compressed_sections_are_relocated_too)
{
	check_functions(CORPUS "gcc-zstd");
}

/* SPDX-License-Identifier: MIT */
/*
 * Compiles unwind tables of call frame information and of Go's tables made of
 * arbitrary bytes, opens them, and walks stacks made of the same bytes.  The
 * first byte chooses what the rest is:
 *
 *	bit 0	aarch64
 *	bit 1	.debug_frame instead of .eh_frame
 *	bit 2	found through .eh_frame_hdr
 *	bit 3	an ELF file
 *	bit 4	the image of a table, as a cache on disk holds it
 */
#include <elf.h>

#include "base/arena.h"
#include "base/check.h"
#include "elf/image.h"
#include "fuzz.h"
#include "unwind/compile.h"
#include "unwind/object.h"
#include "unwind/table.h"
#include "unwind/walk.h"

enum { TEXT = 4 << 20, ADDRESS = 2 << 20, WORK = 64 << 20 };

static int compile_section(struct span bytes, unsigned choice,
			   struct arena *arena, struct span *image)
{
	struct cfi_section section = {
		.bytes = bytes,
		.addr = ADDRESS,
		.debug = choice & 2,
	};
	struct cfi_header header = {
		.hdr = bytes,
		.hdr_addr = ADDRESS,
		.segment = bytes,
		.segment_addr = ADDRESS,
	};
	struct unwind_source source = {
		.machine = choice & 1 ? EM_AARCH64 : EM_X86_64,
		.text_lo = 0,
		.text_hi = TEXT,
		.sections = &section,
		.n_sections = 1,
	};

	if ((choice & 4) && cfi_from_header(&header, &section) < 0)
		return -1;
	return unwind_compile(&source, arena, image, NULL);
}

static int compile_file(struct span bytes, struct arena *arena,
			struct span *image)
{
	struct elf elf;

	if (elf_open(&elf, bytes, NULL) < 0)
		return -1;
	return unwind_object(&elf, NULL, arena, image, NULL);
}

/* As a file that was damaged, but with a checksum that fits. */
static int take_image(struct span bytes, struct arena *arena,
		      struct span *image)
{
	uint8_t *copy = arena_alloc(arena, bytes.len + 1);

	if (!copy || bytes.len < sizeof(struct unwind_header))
		return -1;
	memcpy(copy, bytes.at, bytes.len);
	unwind_table_seal(copy, bytes.len);
	*image = span_of(copy, bytes.len);
	return 0;
}

static void walk(const struct unwind_table *table, struct span stack,
		 uint64_t start)
{
	struct unwind_module module = {
		.lo = table->lo,
		.hi = table->lo + table->size,
		.table = table,
	};
	struct unwind_map map = { &module, 1, 1 };
	struct unwind_slot slots[4] = { 0 };
	struct unwind_cache cache;
	uint64_t all[32];
	uint64_t pcs[64];

	for (unsigned i = 0; i < 32; i++)
		all[i] = 0x7000 + 8 * i;
	unwind_cache_init(&cache, slots, sizeof(slots));

	struct unwind_walker w = {
		.map = &map,
		.cache = &cache,
		.memory = { .lo = 0x7000, .len = stack.len, .copy = stack.at },
		.code_mask = UINT64_MAX,
		.machine = table->machine,
	};
	struct unwind_regs regs = {
		.pc = start,
		.sp = 0x7000,
		.fp = 0x7020,
		.extra = start,
		.all = all,
		.n_all = 32,
		.known = UNWIND_HAS_FP | UNWIND_HAS_EXTRA,
		.exact = true,
	};
	struct unwind_result result = unwind_walk(&w, regs, pcs, 64);

	ASSERT(result.count <= 64 && result.reason < UNWIND_REASONS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { .limit = WORK };
	struct unwind_table table;
	struct span image = { 0 };
	struct span bytes;
	int ret;

	if (!size)
		return 0;
	bytes = span_of(data + 1, size - 1);
	if (data[0] & 8)
		ret = compile_file(bytes, &arena, &image);
	else if (data[0] & 16)
		ret = take_image(bytes, &arena, &image);
	else
		ret = compile_section(bytes, data[0], &arena, &image);
	if (ret == 0 && unwind_table_open(&table, image, NULL) == 0)
		for (unsigned i = 0; i < 16; i++)
			walk(&table, bytes, table.lo + table.size / 16 * i + i);
	else
		/* What the compiler makes, the reader accepts. */
		ASSERT(ret < 0 || (data[0] & 16));
	arena_release(&arena);
	return 0;
}

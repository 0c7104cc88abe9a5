/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes line programs.  The input is the length of .debug_line_str in two
 * bytes, then that section (which is taken for .debug_str too), then
 * .debug_line.  seed-dwarf.py writes such inputs.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "dwarf/code.h"
#include "dwarf/die.h"
#include "dwarf/file.h"
#include "dwarf/line.h"
#include "symbol/index.h"

enum {
	CODE_START = 0x400000,
	CODE_SIZE = 0x100000,
	MEMORY_LIMIT = 64 << 20,
};

static void look_up(struct span bytes)
{
	struct line_index x;
	uint32_t near = 0;

	if (!line_index_open(&x, bytes))
		return;
	for (uint32_t i = 0; i < x.row_count; i += 1 + i / 8)
		(void)line_index_find(&x, x.pc[i], &near);
}

static void read_program(const struct dwarf *d, struct arena *arena)
{
	const struct code_area area = {
		.base = CODE_START,
		.count = 1,
		.part = { { 0, CODE_SIZE } },
	};
	const struct dwarf_unit unit = { .version = 5, .offset_size = 4 };
	const struct dwarf_cu cu = { .file = d, .main = d, .unit = &unit };
	struct line_program p = { 0 };

	if (line_open(&p, &cu, 0, arena) && line_run(&p, &area, arena))
		look_up(line_index_write(&p, "/directory", arena, arena));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { .limit = MEMORY_LIMIT };
	struct reader r = reader_of(span_of(data, size));
	size_t strings = reader_u16(&r);
	struct dwarf d = { 0 };

	if (strings > reader_left(&r))
		strings = reader_left(&r);
	d.line_str = reader_take(&r, strings);
	while (d.line_str.len && d.line_str.at[d.line_str.len - 1])
		d.line_str.len--;
	d.str = d.line_str;
	d.line = reader_take(&r, reader_left(&r));
	read_program(&d, &arena);
	arena_release(&arena);
	return 0;
}

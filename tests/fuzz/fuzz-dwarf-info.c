/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes .debug_info and the sections that it refers to: units, entries, all
 * forms, ranges.  The input is these sections without a file around them, since
 * finding sections by name would take most of the time: the length of each but
 * the last in two bytes, then all of them.  seed-dwarf.py writes such inputs.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "base/check.h"
#include "symbol/builder.h"
#include "symbol/index.h"
#include "symbol/search.h"

enum {
	UNITS_MAX = 16,
	LOOKUPS = 64,
	CODE_START = 0x400000,
	CODE_SIZE = 0x100000,
	MEMORY_LIMIT = 64 << 20,
};

/* Takes the sections apart. */
static void split_input(struct span input, struct dwarf *d)
{
	struct span *const section[] = {
		&d->abbrev,    &d->str,	   &d->line_str, &d->str_offsets,
		&d->addr,      &d->ranges, &d->rnglists, &d->aranges,
		&d->type_info, &d->info,
	};
	const size_t count = ARRAY_SIZE(section);
	struct reader lengths = reader_of(input);
	struct reader data = reader_of(input);

	reader_take(&data, 2 * (count - 1));
	for (size_t i = 0; i < count; i++) {
		size_t len = i + 1 < count ? reader_u16(&lengths) : SIZE_MAX;

		if (len > reader_left(&data))
			len = reader_left(&data);
		*section[i] = reader_take(&data, len);
	}
}

static void look_up(struct span bytes)
{
	struct function_index x;
	uint32_t near = 0;

	if (!function_index_open(&x, bytes))
		return;
	for (uint32_t i = 0; i < LOOKUPS && i < x.segment_count; i++)
		(void)function_index_find(&x, x.pc[i], &near);
}

static void build_units(const struct debug_source *s)
{
	struct builder b = { .scratch.limit = MEMORY_LIMIT,
			     .passing.limit = MEMORY_LIMIT,
			     .kept.limit = MEMORY_LIMIT };
	struct arena arena = { .limit = MEMORY_LIMIT };
	code_range_vec ranges = { 0 };

	for (uint32_t i = 0; i < s->dwarf->unit_count && i < UNITS_MAX; i++) {
		(void)builder_ranges(&b, s, i, &ranges, &arena);
		look_up(builder_functions(&b, s, &s->dwarf->unit[i]));
	}
	(void)builder_aranges(s, &ranges, &arena);
	arena_release(&arena);
	builder_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* No split file may be looked for in the real file system. */
	static const struct search_places nowhere = { .root = "/proc/0" };
	struct arena arena = { .limit = MEMORY_LIMIT };
	struct dwarf d = { 0 };
	const struct debug_source source = {
		.dwarf = &d,
		.path = "/proc/0/x",
		.places = &nowhere,
		.area = { .base = CODE_START,
			  .count = 1,
			  .part = { { 0, CODE_SIZE } } },
	};

	split_input(span_of(data, size), &d);
	if (dwarf_read_units(&d, &arena, NULL) == 0)
		build_units(&source);
	arena_release(&arena);
	return 0;
}

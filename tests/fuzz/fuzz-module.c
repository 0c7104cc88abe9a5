/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes modules: an ELF image, all of whose units are read.  Most of an input
 * is the container here; dwarf-info and dwarf-line go deeper, faster.
 */
#include "fuzz.h"

#include "symbol/index.h"
#include "symbol/module.h"

enum {
	UNITS_MAX = 64,
	LOOKUPS = 64,
};

static void look_up(struct module *m, uint32_t unit)
{
	static struct symbol_frame frame[SYMBOL_FRAMES];
	const struct function_index *x = m->unit[unit].functions;
	uint64_t base = m->source.area.base;

	for (uint32_t i = 0; i < LOOKUPS && i < x->segment_count; i++)
		(void)module_find(m, base + x->pc[i], frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct module_options options = { .no_search = true };
	struct module m;

	if (module_open_image(&m, span_of(data, size), "input", &options,
			      NULL) < 0)
		return 0;
	for (uint32_t i = 0; i < m.unit_count && i < UNITS_MAX; i++) {
		for (enum index_part p = 0; p < INDEX_PARTS; p++)
			module_build(&m, i, p, &m.builder);
		look_up(&m, i);
	}
	module_close(&m);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Fuzzes perf maps and the kernel's list of symbols, which are alike. */
#include "fuzz.h"

#include "base/arena.h"
#include "symbol/addrmap.h"

static void look_up(const struct addrmap *m)
{
	for (uint32_t i = 0; i < m->entries.count; i += 1 + i / 16) {
		(void)addrmap_find(m, m->entries.at[i].start, UINT64_MAX);
		(void)addrmap_find(m, m->entries.at[i].end, i);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = span_of(data, size);
	struct arena arena = { 0 };
	struct addrmap map = { 0 };
	struct addrmap kernel = { 0 };
	uint32_t skipped;

	if (perfmap_read(&map, text, &arena, &skipped) == 0)
		look_up(&map);
	if (kallsyms_read(&kernel, text, &arena, NULL) == 0)
		look_up(&kernel);
	arena_release(&arena);
	return 0;
}

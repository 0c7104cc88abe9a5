/* SPDX-License-Identifier: MIT */
/* Fuzzes the dumps of just-in-time compilers. */
#include "fuzz.h"

#include "base/arena.h"
#include "symbol/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct jitdump j;

	if (jitdump_read(&j, span_of(data, size), &arena, NULL) == 0)
		for (uint32_t i = 0; i < j.map.entries.count; i += 1 + i / 16) {
			const struct addrmap_entry *e = addrmap_find(
				&j.map, j.map.entries.at[i].start, UINT64_MAX);

			if (e)
				(void)jitdump_line(&j, e, e->start);
		}
	arena_release(&arena);
	return 0;
}

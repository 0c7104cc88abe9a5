/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes cached indexes.  Checksums keep damage out of the parts, so the input
 * is also taken as a part by itself, as if its sum were right.
 */
#include "fuzz.h"

#include "symbol/cache.h"
#include "symbol/index.h"

static void use_functions(struct span bytes)
{
	struct function_index x;
	uint32_t near = 0;
	uint32_t node;

	if (!function_index_open(&x, bytes))
		return;
	for (uint32_t pc = 0; pc < 4096; pc += 16) {
		node = function_index_find(&x, pc, &near);
		if (node)
			(void)index_text(x.text, x.text_len, x.node[node].name);
	}
}

static void use_lines(struct span bytes)
{
	struct line_index x;
	uint32_t near = 0;

	if (!line_index_open(&x, bytes))
		return;
	for (uint32_t pc = 0; pc < 4096; pc += 16)
		(void)line_index_find(&x, pc, &near);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cache_key key = { .id = { .len = 1 } };
	struct span bytes = span_of(data, size);
	struct cache c;

	if (cache_open(&c, bytes, &key))
		for (uint32_t i = 0; i < c.unit_count; i++) {
			struct span part;

			if (cache_part(&c, i, INDEX_FUNCTIONS, &part))
				use_functions(part);
			if (cache_part(&c, i, INDEX_LINES, &part))
				use_lines(part);
		}
	use_functions(bytes);
	use_lines(bytes);
	return 0;
}

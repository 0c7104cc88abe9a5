/* SPDX-License-Identifier: MIT */
/* Fuzzes the kernel's records. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "collect/record.h"

static void shrink(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	struct record r;
	size_t whole;

	if (!copy)
		return;
	memcpy(copy, data, size);
	if (record_parse(span_of(copy, size), &r, &whole)) {
		size_t left = record_shrink(copy, whole, 64);

		/* What was a record still is one. */
		if (left > whole ||
		    !record_parse(span_of(copy, left), &r, &whole))
			abort();
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest = span_of(data, size);
	struct record r;
	size_t one = 1;

	shrink(data, size);
	while (rest.len && one) {
		(void)record_time(rest);
		(void)record_parse(rest, &r, &one);
		rest = span_part(rest, one, rest.len - one);
	}
	return 0;
}

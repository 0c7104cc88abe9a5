/* SPDX-License-Identifier: MIT */
/* Fuzzes the list of a process's mappings, whose paths others choose. */
#include "fuzz.h"

#include "symbol/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r = reader_of(span_of(data, size));
	struct map_line line;
	char path[64];

	while (maps_next(&r, &line))
		(void)maps_path(&line, path, sizeof(path));
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the readers of legacy formats.  What they accept must hold together,
 * must have been detected, and must be printable.
 */
#include "fuzz_format.h"

#include "base/sink.h"
#include "format/legacy.h"
#include "report/raw.h"

static void check_profile(const struct profile *p)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);

	ASSERT(profile_check(p, NULL) == 0);
	for (uint32_t i = 1; i < p->locations.count; i++)
		ASSERT(p->locations.at[i].mapping < p->mappings.count);
	ASSERT(raw_write(p, &out) == 0);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_format(&format_legacy, data, size, check_profile);
}

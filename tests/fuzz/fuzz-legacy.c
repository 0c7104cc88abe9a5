/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the readers of legacy formats.  What they accept must hold together,
 * must have been detected, and must be printable.
 */
#include "fuzz.h"

#include <errno.h>

#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/legacy.h"
#include "profile/profile.h"
#include "report/raw.h"

enum { MEMORY_LIMIT = 256 << 20 };

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
	struct arena arena = { .limit = MEMORY_LIMIT };
	struct error err = { 0 };
	struct span input = span_of(data, size);
	struct profile p;
	int r;

	if (profile_init(&p, &arena) < 0)
		return 0;
	r = format_legacy.read(&p, input, &err);
	ASSERT(r == 0 || err.text[0]);
	ASSERT(r == -ENOTSUP || format_legacy.detect(input));
	if (r == 0)
		check_profile(&p);
	arena_release(&arena);
	return 0;
}

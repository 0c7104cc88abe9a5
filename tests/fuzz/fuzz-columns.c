/* SPDX-License-Identifier: MIT */
/*
 * What the page is given, of any profile that can be read: it is written in
 * bounded memory, or refused with a sentence.
 */
#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/pprof.h"
#include "fuzz.h"
#include "profile/profile.h"
#include "serve/columns.h"

static void check_columns(const struct profile *p)
{
	struct arena arena = { .limit = (size_t)256 << 20 };
	struct sink out = sink_to_memory(&arena);
	struct sink places = sink_to_memory(&arena);
	const struct columns_options planes = { .planes = true };
	struct error err = { 0 };
	int r = columns_write(p, &planes, &out, &places, &err);

	ASSERT(r == 0 || err.text[0]);
	ASSERT(r < 0 || out.error || out.used % 8 == 0);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { .limit = (size_t)256 << 20 };
	struct profile p;
	struct error err;

	if (profile_init(&p, &arena) < 0)
		return 0;
	if (pprof_read(&p, span_of(data, size), &err) == 0 &&
	    profile_check(&p, &err) == 0)
		check_columns(&p);
	arena_release(&arena);
	return 0;
}

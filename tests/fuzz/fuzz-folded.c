/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks on any bytes.  What is read must hold together, and what is
 * written of it must read as the same and be written the same way again.
 */
#include "fuzz_format.h"

#include "base/sink.h"
#include "format/folded.h"

static struct span write(const struct profile *p, struct arena *arena)
{
	struct sink out = sink_to_memory(arena);

	ASSERT(profile_check(p, NULL) == 0);
	ASSERT(folded_write(p, NULL, &out, NULL) == 0);
	return sink_bytes(&out);
}

/*
 * Once: a first writing may change names, and one of few words that end in
 * numbers may read as something else before.
 */
static void check_rewriting(const struct profile *p)
{
	struct arena arena = { 0 };
	struct span once = write(p, &arena);
	struct profile again;

	ASSERT(profile_init(&again, &arena) == 0);
	if (once.len && folded_read(&again, once, NULL) == 0)
		ASSERT(span_equal(write(&again, &arena), once));
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_format(&format_folded, data, size, check_rewriting);
}

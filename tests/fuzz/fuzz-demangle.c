/* SPDX-License-Identifier: MIT */
/* Fuzzes demangling: the input is a name, read in every form. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/check.h"
#include "symbol/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned forms[] = {
		DEMANGLE_PPROF,	     DEMANGLE_PPROF_TEMPLATES,
		DEMANGLE_PPROF_FULL, DEMANGLE_SHORT,
		DEMANGLE_FULL,
	};
	struct arena arena = { 0 };
	struct demangler *d = demangler_new(&arena);
	struct span name = span_of(data, size);
	struct span readable;

	ASSERT(d);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (demangle(d, name, forms[i], &readable))
			ASSERT(readable.len <= 1024 * 1024);
		else
			ASSERT(readable.len == 0);
	}
	ASSERT(arena.mapped < 64 * 1024 * 1024);
	arena_release(&arena);
	return 0;
}

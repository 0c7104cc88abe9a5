/* SPDX-License-Identifier: MIT */
/* What the targets of formats that are told by their first bytes share. */
#ifndef WICK_FUZZ_FORMAT_H
#define WICK_FUZZ_FORMAT_H

#include <errno.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "format/format.h"
#include "fuzz.h"
#include "profile/profile.h"

/* Reads the bytes as a format in bounded memory; check gets what was read. */
static inline int fuzz_format(const struct format *format, const uint8_t *data,
			      size_t size,
			      void (*check)(const struct profile *p))
{
	enum { MEMORY_LIMIT = 256 << 20 };
	struct arena arena = { .limit = MEMORY_LIMIT };
	struct error err = { 0 };
	struct span input = span_of(data, size);
	struct profile p;
	int r;

	if (profile_init(&p, &arena) < 0)
		return 0;
	r = format->read(&p, input, &err);
	ASSERT(r == 0 || err.text[0]);
	ASSERT(r == -ENOTSUP || format->detect(input));
	if (r == 0)
		check(&p);
	arena_release(&arena);
	return 0;
}

#endif /* WICK_FUZZ_FORMAT_H */

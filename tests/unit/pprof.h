/* SPDX-License-Identifier: MIT */
/*
 * Makes pprof files, right and wrong, field by field, and reads them.  One
 * file at a time: file_new() drops the last one and what was read from it.
 */
#ifndef WICK_TEST_PPROF_H
#define WICK_TEST_PPROF_H

#include <stdarg.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/pprof.h"
#include "format/proto.h"
#include "profile/profile.h"

static struct {
	struct arena arena;
	struct sink out;
	struct profile profile;
	struct error err;
} file;

static inline void file_new(void)
{
	arena_release(&file.arena);
	file.out = sink_to_memory(&file.arena);
}

/* A message of pairs (field, number), ended by field 0. */
static inline void put_message(unsigned field, ...)
{
	size_t start = proto_open(&file.out);
	va_list ap;

	va_start(ap, field);
	for (;;) {
		unsigned sub = va_arg(ap, unsigned);

		if (!sub)
			break;
		proto_put_number(&file.out, sub, va_arg(ap, uint64_t));
	}
	va_end(ap);
	proto_close(&file.out, field, start);
}

#define PUT_MESSAGE(...) put_message(__VA_ARGS__, 0u)
#define N(n)		 ((uint64_t)(n))

static inline void put_text(const char *text)
{
	proto_put_bytes(&file.out, PPROF_STRING, span_text(text));
}

/* "", "a", "b", … : string i, from 1 on, is the i-th letter. */
static inline void put_texts(unsigned count)
{
	put_text("");
	for (unsigned i = 1; i < count; i++)
		put_text((char[]){ (char)('a' + i - 1), '\0' });
}

/* Types (a, b); mapping, function and location 1, all named; five strings. */
static inline void put_basics(void)
{
	put_texts(5);
	PUT_MESSAGE(PPROF_SAMPLE_TYPE, 1, N(1), 2, N(2));
	PUT_MESSAGE(PPROF_MAPPING, PPROF_MAPPING_ID, N(1), PPROF_MAPPING_START,
		    N(0x1000), PPROF_MAPPING_FILE, N(3));
	PUT_MESSAGE(PPROF_FUNCTION, PPROF_FUNCTION_ID, N(1),
		    PPROF_FUNCTION_NAME, N(4));
}

static inline void put_location(uint64_t id, uint64_t function)
{
	size_t start = proto_open(&file.out);

	proto_put_number(&file.out, PPROF_LOCATION_ID, id);
	proto_put_number(&file.out, PPROF_LOCATION_MAPPING, 1);
	PUT_MESSAGE(PPROF_LOCATION_LINE, PPROF_LINE_FUNCTION, function,
		    PPROF_LINE_LINE, N(7));
	proto_close(&file.out, PPROF_LOCATION, start);
}

static inline int file_read(void)
{
	file.err = (struct error){ 0 };
	if (profile_init(&file.profile, &file.arena) < 0)
		return -1;
	return pprof_read(&file.profile, sink_bytes(&file.out), &file.err);
}

#endif /* WICK_TEST_PPROF_H */

/* SPDX-License-Identifier: MIT */
/*
 * For the tests of the legacy formats: reads a profile and shows it, or one
 * part of it, as the raw report does.  What is expected is what pprof prints.
 */
#ifndef WICK_TEST_LEGACY_H
#define WICK_TEST_LEGACY_H

#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/legacy.h"
#include "profile/profile.h"
#include "report/raw.h"
#include "test.h"

static struct {
	struct arena arena;
	struct profile profile;
	struct error error;
} legacy;

/* Reads data; returns what the reader returned. */
static inline int legacy_read_span(struct span data)
{
	int r;

	arena_release(&legacy.arena);
	legacy.error = (struct error){ 0 };
	CHECK_EQ(profile_init(&legacy.profile, &legacy.arena), 0);
	r = format_legacy.read(&legacy.profile, data, &legacy.error);
	if (r == 0)
		CHECK_EQ(profile_check(&legacy.profile, NULL), 0);
	else
		CHECK(legacy.error.text[0]);
	return r;
}

static inline int legacy_read(const char *text)
{
	return legacy_read_span(span_text(text));
}

/* The raw report of data, or why there is none. */
static inline const char *legacy_raw_span(struct span data)
{
	struct sink out = sink_to_memory(&legacy.arena);

	if (legacy_read_span(data) < 0)
		return legacy.error.text;
	CHECK_EQ(raw_write(&legacy.profile, &out), 0);
	sink_char(&out, '\0');
	return out.buf;
}

/* A part of it: "Samples:", "Locations" or "Mappings". */
static inline const char *legacy_part_span(struct span data, const char *name)
{
	static const char *const next[] = { "Locations\n", "Mappings\n" };
	char *raw = (char *)legacy_raw_span(data);
	char *start = strstr(raw, name);

	if (!start)
		return raw;
	start += strlen(name) + 1;
	for (size_t i = 0; i < 2; i++) {
		char *end = strstr(start, next[i]);

		if (end)
			*end = '\0';
	}
	return start;
}

static inline const char *legacy_part(const char *text, const char *name)
{
	return legacy_part_span(span_text(text), name);
}

static inline const char *legacy_raw(const char *text)
{
	return legacy_raw_span(span_text(text));
}

#endif /* WICK_TEST_LEGACY_H */

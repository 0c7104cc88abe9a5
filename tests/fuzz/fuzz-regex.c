/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes regular expressions: the first line of the input is the pattern, the
 * rest is matched.  Neither may take long, and the two ways to match agree.
 */
#include "fuzz.h"

#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "report/regex.h"

static void check_ranges(const struct regex_range *r, unsigned n, size_t len)
{
	for (unsigned i = 0; i < n; i++) {
		if (r[i].start == SIZE_MAX) {
			ASSERT(i > 0 && r[i].end == SIZE_MAX);
			continue;
		}
		ASSERT(r[i].start <= r[i].end && r[i].end <= len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { ROOM = 8 };
	const char *pattern = (const char *)data;
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t len = newline ? (size_t)(newline - data) : size;
	const char *text = pattern + len + (newline != NULL);
	size_t text_len = size - len - (newline != NULL);
	struct regex_range ranges[ROOM];
	struct error err = { 0 };
	struct regex *re;
	bool matches;
	unsigned n;

	if (regex_compile_bytes(&re, pattern, len, &err) < 0) {
		ASSERT(err.text[0]);
		return 0;
	}
	matches = regex_match(re, text, text_len);
	n = regex_find(re, text, text_len, ranges, ROOM);
	ASSERT(regex_gave_up(re) || matches == (n > 0));
	check_ranges(ranges, n < ROOM ? n : ROOM, text_len);
	regex_free(re);
	return 0;
}

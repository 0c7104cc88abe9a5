/* SPDX-License-Identifier: MIT */
/* Numbers and padded text as reports print them, digit for digit as pprof. */
#ifndef WICK_PROFILE_NUMBER_H
#define WICK_PROFILE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct arena;
struct sink;

/*
 * A value with its unit, such as "1.50s": converted from one unit to another as
 * unit_scale() does, with at most two decimals.  In arena's memory.
 */
const char *number_label(struct arena *arena, int64_t value, const char *from,
			 const char *to);

/* Room for a percentage; the longest has 21 digits before its point. */
struct percent {
	char text[32];
	size_t len;
};

/* What part of total value is: " 1.25%", "  100%", "0.051%". */
struct percent percent_of(int64_t value, int64_t total);

/* text without the spaces in front. */
const char *skip_spaces(const char *text);

/* How many characters a UTF-8 text has; each broken byte counts as one. */
size_t rune_count(struct span text);

/* Writes text, padded with spaces to width characters on its left. */
void put_right(struct sink *out, struct span text, size_t width);

#endif /* WICK_PROFILE_NUMBER_H */

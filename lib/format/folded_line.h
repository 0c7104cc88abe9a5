/* SPDX-License-Identifier: MIT */
/* One line of folded stacks, taken apart. */
#ifndef WICK_FORMAT_FOLDED_LINE_H
#define WICK_FORMAT_FOLDED_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/*
 * A stack with counts.  Whether a number before the last one is a count too or
 * the end of a name only the whole file tells, so both readings are here.
 */
struct folded_line {
	struct span stack; /* without the last number */
	int64_t last;
	bool two;		 /* there is a number before it */
	struct span short_stack; /* without that one too */
	int64_t before;
};

/* False if the line has no stack or no count, or one that is too large. */
bool folded_line_parse(struct folded_line *ret, struct span line);

/* Whether the line says nothing: blank, or a remark. */
bool folded_line_skipped(struct span line);

#endif /* WICK_FORMAT_FOLDED_LINE_H */

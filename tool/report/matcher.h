/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_MATCHER_H
#define WICK_REPORT_MATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"

struct arena;
struct error;
struct regex;

/*
 * A regular expression over a profile's strings, evaluated once for each
 * distinct string.  A matcher without an expression matches nothing.
 */
struct matcher {
	struct regex *regex; /* NULL: none */
	const struct strtab *strings;
	uint8_t *known; /* by str_id: 0 unknown, 1 no, 2 yes */
	uint32_t known_count;
	struct arena *arena;
	/* What of a string is looked at; NULL: all of it. */
	struct span (*simplify)(struct span text);
};

/*
 * Compiles pattern; NULL or "" makes a matcher without an expression.  option
 * names it in errors: "parsing focus regexp: ...", unless it is NULL.  Returns
 * 0 or a negative errno.
 */
int matcher_init(struct matcher *m, const char *option, const char *pattern,
		 const struct strtab *strings, struct arena *arena,
		 struct error *err);

/* Frees the expression. */
void matcher_release(struct matcher *m);

static inline bool matcher_active(const struct matcher *m)
{
	return m->regex != NULL;
}

bool matcher_match(struct matcher *m, str_id id);

/* Matches text that is not in the table. */
bool matcher_match_span(const struct matcher *m, struct span text);

#endif /* WICK_REPORT_MATCHER_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_REGEX_H
#define WICK_REPORT_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/*
 * A regular expression in the language of Go's package regexp, which is what
 * users of pprof write.  It matches where Go's does: leftmost, and of those the
 * first in the order of alternatives and quantifiers.  Text is UTF-8; a byte
 * that is not counts as U+FFFD.
 *
 * One difference is left, in how far a match or a group reaches, never in
 * whether there is one: when what is repeated can match nothing, as in (a*)* or
 * (|a)*b, a round that matches nothing ends the repetition, as in Perl; Go goes
 * on with the next alternative.
 *
 * Matching backtracks, but only so far: no expression, however contrived, takes
 * unbounded time.  regex_gave_up() tells of texts that it could not decide
 * about, which count as not matching.
 *
 * Owned by who compiled it; one thread at a time.
 */
struct regex;

/*
 * Returns 0 and *ret, which regex_free() takes, or a negative errno with Go's
 * own words, such as "error parsing regexp: missing closing ): `a(b`".  The
 * largest expression is smaller than Go's: 64 KB as PCRE2 stores it.
 */
int regex_compile(struct regex **ret, const char *pattern, struct error *err);

/* The same for a pattern that may hold NULs. */
int regex_compile_bytes(struct regex **ret, const char *pattern, size_t len,
			struct error *err);

/* Whether the expression matches anywhere in the text. */
bool regex_match(struct regex *re, const char *text, size_t len);

struct regex_range {
	size_t start; /* SIZE_MAX: the group took no part in the match */
	size_t end;
};

/*
 * Finds the first match.  ret[0] becomes the whole of it and ret[1] and up its
 * groups, as far as there is room.  Returns the number of groups plus one, or
 * 0 if nothing matches.
 */
unsigned regex_find(struct regex *re, const char *text, size_t len,
		    struct regex_range *ret, unsigned room);

/* How many texts were too hard; more than 0 deserves a remark. */
uint64_t regex_gave_up(const struct regex *re);

/* NULL is allowed. */
void regex_free(struct regex *re);

#endif /* WICK_REPORT_REGEX_H */

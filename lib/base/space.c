/* SPDX-License-Identifier: MIT */
/* See space.h.  Linear whatever the text, and most texts cost two looks. */
#include "base/space.h"

#include <string.h>

#include "base/check.h"

/* Unicode's spaces in UTF-8, those of one byte first. */
static const char *const unicode_spaces[] = {
	"\t",	  "\n",	    "\v",     "\f",	"\r",	  " ",	    "\xc2\x85",
	"\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
	"\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028",
	"\u2029", "\u202f", "\u205f", "\u3000",
};

/* Whether a byte can begin or end one of them: most can not. */
static bool may_be_space(uint8_t c)
{
	return c <= ' ' || c >= 0x80;
}

static size_t space_at_start(struct span s)
{
	if (!s.len || !may_be_space(s.at[0]))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(unicode_spaces); i++)
		if (span_starts(s, unicode_spaces[i]))
			return strlen(unicode_spaces[i]);
	return 0;
}

static size_t space_at_end(struct span s)
{
	if (!s.len || !may_be_space(s.at[s.len - 1]))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(unicode_spaces); i++) {
		size_t len = strlen(unicode_spaces[i]);

		if (s.len >= len &&
		    !memcmp(s.at + s.len - len, unicode_spaces[i], len))
			return len;
	}
	return 0;
}

struct span span_trim(struct span s)
{
	size_t n;

	while ((n = space_at_start(s)))
		s = span_of(s.at + n, s.len - n);
	while ((n = space_at_end(s)))
		s.len -= n;
	return s;
}

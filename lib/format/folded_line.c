/* SPDX-License-Identifier: MIT */
/* See folded_line.h.  Lines are read from their end: names hold anything. */
#include "format/folded_line.h"

#include "format/legacy_text.h"

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static struct span without_blanks(struct span s)
{
	while (s.len && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

/* Cuts the last word off the end of *s; empty if there is no other. */
static struct span take_word(struct span *s)
{
	struct span rest = without_blanks(*s);
	size_t end = rest.len;

	while (rest.len && !is_blank(rest.at[rest.len - 1]))
		rest.len--;
	if (!rest.len)
		return (struct span){ 0 };
	*s = without_blanks(rest);
	return span_of(rest.at + rest.len, end - rest.len);
}

/*
 * A count.  Some scripts divide and write decimals: those are rounded, since
 * values are whole numbers.
 */
static bool parse_count(struct span word, int64_t *ret)
{
	const uint8_t *dot = word.len ? memchr(word.at, '.', word.len) : NULL;
	struct span whole = word;

	if (!dot)
		return text_signed(word, 10, ret);
	whole.len = (size_t)(dot - word.at);
	for (size_t i = whole.len + 1; i < word.len; i++)
		if (!text_in(word.at[i], TEXT_DIGIT))
			return false;
	if (!text_signed(whole, 10, ret))
		return false;
	if (whole.len + 1 < word.len && dot[1] >= '5')
		return !__builtin_add_overflow(*ret, word.at[0] == '-' ? -1 : 1,
					       ret);
	return true;
}

bool folded_line_parse(struct folded_line *ret, struct span line)
{
	struct span rest = line;
	struct folded_line l = { 0 };

	if (!parse_count(take_word(&rest), &l.last) || !rest.len)
		return false;
	l.stack = rest;
	l.two = parse_count(take_word(&rest), &l.before) && rest.len;
	l.short_stack = rest;
	*ret = l;
	return true;
}

bool folded_line_skipped(struct span line)
{
	return !without_blanks(line).len || line.at[0] == '#';
}

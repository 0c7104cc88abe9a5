/* SPDX-License-Identifier: MIT */
/* See legacy_text.h.  Nothing here allocates or reads a byte twice. */
#include "format/legacy_text.h"

#include <string.h>

#include "base/space.h"

bool lines_next(struct lines *l)
{
	const uint8_t *end;
	size_t len;

	l->line = (struct span){ 0 };
	if (!l->rest.len)
		return false;
	end = memchr(l->rest.at, '\n', l->rest.len);
	len = end ? (size_t)(end - l->rest.at) : l->rest.len;
	l->line = span_of(l->rest.at, len);
	if (len && l->line.at[len - 1] == '\r')
		l->line.len--;

	len += end != NULL;
	l->rest = span_of(l->rest.at + len, l->rest.len - len);
	l->number++;
	return true;
}

void lines_skip_remarks(struct lines *l)
{
	while (lines_next(l) && text_is_remark(l->line))
		;
}

static const uint16_t class_of[256] = {
	['\t'] = TEXT_SPACE,
	['\n'] = TEXT_SPACE,
	['\f'] = TEXT_SPACE,
	['\r'] = TEXT_SPACE,
	[' '] = TEXT_SPACE | TEXT_BLANK | TEXT_ADDRESS,
	['-'] = TEXT_ACCESS,
	['0' ... '9'] = TEXT_DIGIT | TEXT_HEX | TEXT_LOWER | TEXT_ADDRESS |
			TEXT_WORD | TEXT_KIND,
	['A' ... 'F'] = TEXT_HEX | TEXT_WORD,
	['G' ... 'Z'] = TEXT_WORD,
	['_'] = TEXT_WORD | TEXT_KIND,
	['a' ... 'f'] = TEXT_HEX | TEXT_LOWER | TEXT_ADDRESS | TEXT_WORD |
			TEXT_KIND,
	['g' ... 'o'] = TEXT_WORD | TEXT_KIND,
	['p'] = TEXT_WORD | TEXT_KIND | TEXT_ACCESS,
	['q'] = TEXT_WORD | TEXT_KIND,
	['r'] = TEXT_WORD | TEXT_KIND | TEXT_ACCESS,
	['s' ... 'v'] = TEXT_WORD | TEXT_KIND,
	['w'] = TEXT_WORD | TEXT_KIND | TEXT_ACCESS,
	['x'] = TEXT_WORD | TEXT_KIND | TEXT_ACCESS | TEXT_ADDRESS,
	['y' ... 'z'] = TEXT_WORD | TEXT_KIND,
};

bool text_in(uint8_t c, unsigned classes)
{
	return class_of[c] & classes;
}

struct span text_run(struct reader *r, unsigned classes)
{
	const uint8_t *start = r->at;

	while (r->at < r->end && text_in(*r->at, classes))
		r->at++;
	return span_of(start, (size_t)(r->at - start));
}

struct span text_run_not(struct reader *r, unsigned classes)
{
	const uint8_t *start = r->at;

	while (r->at < r->end && !text_in(*r->at, classes))
		r->at++;
	return span_of(start, (size_t)(r->at - start));
}

bool text_take(struct reader *r, const char *literal)
{
	if (!span_starts(span_of(r->at, reader_left(r)), literal))
		return false;
	r->at += strlen(literal);
	return true;
}

struct span text_take_address(struct reader *r)
{
	struct reader ahead = *r;
	const uint8_t *start = r->at;

	if (!text_take(&ahead, "0x") || !text_run(&ahead, TEXT_LOWER).len)
		return (struct span){ 0 };
	*r = ahead;
	return span_of(start, (size_t)(r->at - start));
}

bool text_is_remark(struct span s)
{
	s = span_trim(s);
	return !s.len || s.at[0] == '#';
}

bool text_contains(struct span s, const char *literal)
{
	return s.len && memmem(s.at, s.len, literal, strlen(literal));
}

/* The value of a digit in any base up to 36; 255 for another character. */
static unsigned digit_value(uint8_t c)
{
	uint8_t lower = c | 0x20;

	if (text_in(c, TEXT_DIGIT))
		return (unsigned)(c - '0');
	return lower >= 'a' && lower <= 'z' ? (unsigned)(lower - 'a' + 10)
					    : 255;
}

/* Removes the prefix that says in which base s is, and returns the base. */
static unsigned take_base(struct span *s)
{
	unsigned base = 8;
	size_t prefix = 1;

	if (s->at[0] != '0')
		return 10;
	if (s->len >= 3) {
		uint8_t letter = s->at[1] | 0x20;

		prefix = 2;
		if (letter == 'x')
			base = 16;
		else if (letter == 'b')
			base = 2;
		else if (letter != 'o')
			prefix = 1;
	}
	*s = span_of(s->at + prefix, s->len - prefix);
	return base;
}

/*
 * Each '_' stands between digits; a prefix counts as one.  digits is what
 * follows the prefix.
 */
static bool underscores_are_placed_well(struct span digits, bool prefixed)
{
	bool after_digit = prefixed;

	for (size_t i = 0; i < digits.len; i++) {
		bool underscore = digits.at[i] == '_';

		if (underscore && !after_digit)
			return false;
		after_digit = !underscore;
	}
	return after_digit;
}

static bool accumulate(struct span digits, unsigned base, bool underscores,
		       uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < digits.len; i++) {
		unsigned digit = digit_value(digits.at[i]);

		if (underscores && digits.at[i] == '_')
			continue;
		if (digit >= base ||
		    __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

bool text_unsigned(struct span s, unsigned base, uint64_t *ret)
{
	bool by_prefix = base == 0;
	struct span digits = s;

	if (!s.len)
		return false;
	if (by_prefix)
		base = take_base(&digits);
	if (by_prefix && memchr(s.at, '_', s.len) &&
	    !underscores_are_placed_well(digits, digits.len != s.len))
		return false;
	return accumulate(digits, base, by_prefix, ret);
}

bool text_signed(struct span s, unsigned base, int64_t *ret)
{
	const uint64_t limit = (uint64_t)1 << 63;
	bool negative = s.len && s.at[0] == '-';
	uint64_t value;

	if (s.len && (negative || s.at[0] == '+'))
		s = span_of(s.at + 1, s.len - 1);
	if (!text_unsigned(s, base, &value))
		return false;
	if (value > limit || (value == limit && !negative))
		return false;
	*ret = (int64_t)(negative ? -value : value);
	return true;
}

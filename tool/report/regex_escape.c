/* SPDX-License-Identifier: MIT */
/*
 * The small parts of regular expressions: characters, escape sequences, what
 * stands in brackets.  Errors are in Go's words and name what Go names.
 */
#include "report/regex_parser.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"

enum {
	FOLDED_GROUPS = 8, /* in one pattern; each costs milliseconds */
};

uint32_t utf8_decode(struct span s, size_t *ret_len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len;
	uint32_t c;

	*ret_len = s.len ? 1 : 0;
	if (!s.len)
		return RUNE_ERROR;
	c = s.at[0];
	if (c < 0x80)
		return c;
	len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4 || len > s.len)
		return RUNE_ERROR;
	c &= 0xffu >> (len + 1);
	for (size_t i = 1; i < len; i++) {
		if ((s.at[i] & 0xc0) != 0x80)
			return RUNE_ERROR;
		c = c << 6 | (s.at[i] & 0x3f);
	}
	if (c < least[len] || c > RUNE_MAX || (c >= 0xd800 && c < 0xe000))
		return RUNE_ERROR;
	*ret_len = len;
	return c;
}

int regex_fail(struct regex_parser *p, const char *what, struct span where)
{
	return error_set(p->err, -EINVAL, "error parsing regexp: %s: `%.*s`",
			 what, (int)(where.len < 400 ? where.len : 400),
			 (const char *)where.at);
}

static int bad_utf8(struct regex_parser *p, struct span s)
{
	return regex_fail(p, "invalid UTF-8", s);
}

/* Checks that all of s is UTF-8. */
int regex_check_utf8(struct regex_parser *p, struct span s)
{
	size_t len;

	for (; s.len; s = span_of(s.at + len, s.len - len))
		if (utf8_decode(s, &len) == RUNE_ERROR && len == 1)
			return bad_utf8(p, s);
	return 0;
}

/* The next character, or RUNE_ERROR at the end. */
int regex_next_rune(struct regex_parser *p, uint32_t *ret)
{
	size_t len;

	*ret = utf8_decode(p->rest, &len);
	if (*ret == RUNE_ERROR && len == 1)
		return bad_utf8(p, p->rest);
	skip(p, len);
	return 0;
}

static int unhex(uint32_t c)
{
	if (is_digit(c))
		return (int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (int)(c - 'a' + 10);
	return c >= 'A' && c <= 'F' ? (int)(c - 'A' + 10) : -1;
}

/* The characters after \x. */
static int parse_hex(struct regex_parser *p, int32_t *ret)
{
	uint32_t c;
	int64_t value = 0;
	int digits = 0;
	int x;
	int r;

	*ret = -1;
	if (!p->rest.len)
		return 0;
	r = regex_next_rune(p, &c);
	if (r < 0)
		return r;
	if (c != '{') {
		x = unhex(c);
		r = regex_next_rune(p, &c);
		if (r == 0 && x >= 0 && unhex(c) >= 0)
			*ret = x * 16 + unhex(c);
		return r;
	}
	for (;; digits++) {
		if (!p->rest.len)
			return 0;
		r = regex_next_rune(p, &c);
		if (r < 0)
			return r;
		if (c == '}')
			break;
		value = value * 16 + unhex(c);
		if (unhex(c) < 0 || value > RUNE_MAX)
			return 0;
	}
	if (digits)
		*ret = (int32_t)value;
	return 0;
}

static bool at_octal(const struct regex_parser *p)
{
	return peek(p, 0) >= '0' && peek(p, 0) <= '7';
}

/* Up to two digits after the first one. */
static int32_t parse_octal(struct regex_parser *p, uint32_t first)
{
	int32_t value = (int32_t)(first - '0');

	for (int i = 0; i < 2 && at_octal(p); i++) {
		value = value * 8 + (peek(p, 0) - '0');
		skip(p, 1);
	}
	return value;
}

/* The character that an escape sequence stands for. */
int regex_parse_escape(struct regex_parser *p, uint32_t *ret)
{
	static const char letters[] = "afnrtv";
	static const char means[] = "\a\f\n\r\t\v";
	struct span start = p->rest;
	int32_t value = -1;
	uint32_t c;
	int r;

	skip(p, 1);
	if (!p->rest.len)
		return regex_fail(p, "trailing backslash at end of expression",
				  p->rest);
	r = regex_next_rune(p, &c);
	if (r < 0)
		return r;
	if (c < 0x80 && !is_alnum(c))
		value = (int32_t)c;
	else if (c == '0' || (c >= '1' && c <= '7' && at_octal(p)))
		value = parse_octal(p, c);
	else if (c == 'x')
		r = parse_hex(p, &value);
	else if (c < 0x80 && strchr(letters, (int)c))
		value = means[strchr(letters, (int)c) - letters];
	if (r < 0)
		return r;
	if (value < 0)
		return regex_fail(p, "invalid escape sequence",
				  read_since(p, start));
	*ret = (uint32_t)value;
	return 0;
}

/* \pN or \p{Name}; written as part of a class.  0: there is none, 1: done. */
int regex_parse_unicode_group(struct regex_parser *p, bool alone)
{
	struct span start = p->rest;
	bool negated = peek(p, 1) == 'P';
	struct span name;
	uint32_t c;
	int r;

	if (peek(p, 0) != '\\' || (peek(p, 1) != 'p' && !negated))
		return 0;
	skip(p, 2);
	name = p->rest;
	r = regex_next_rune(p, &c);
	if (r < 0)
		return r;
	name = read_since(p, name);
	if (c == '{') {
		const uint8_t *end = memchr(start.at, '}', start.len);

		if (!end) {
			r = regex_check_utf8(p, start);
			return r < 0 ? r
				     : regex_fail(
					       p,
					       "invalid character class range",
					       start);
		}
		name = span_of(start.at + 3, (size_t)(end - start.at) - 3);
		skip(p, name.len + 1);
		r = regex_check_utf8(p, name);
		if (r < 0)
			return r;
	}
	if (name.len && name.at[0] == '^') {
		negated = !negated;
		name = span_of(name.at + 1, name.len - 1);
	}
	if (!unicode_group_known(name))
		return regex_fail(p, "invalid character class range",
				  read_since(p, start));
	if ((p->flags & FLAG_FOLD) && ++p->folded_groups > FOLDED_GROUPS)
		return regex_fail(p, "expression too large", p->whole);
	if (alone && negated) {
		sink_char(p->out, '^');
		negated = false;
	}
	r = unicode_group_write(p->out, name, negated,
				(p->flags & FLAG_FOLD) != 0);
	return r < 0 ? r : 1;
}

/* \d and the like.  0: there is none, 1: done. */
int regex_parse_perl_group(struct regex_parser *p)
{
	struct ascii_group g;

	if (p->rest.len < 2 || peek(p, 0) != '\\' ||
	    !ascii_group_find(span_of(p->rest.at, 2), &g))
		return 0;
	skip(p, 2);
	ascii_group_write(p->out, g, (p->flags & FLAG_FOLD) != 0);
	return 1;
}

/* [:alpha:] and the like.  0: there is none, 1: done. */
int regex_parse_posix_group(struct regex_parser *p)
{
	const uint8_t *end;
	struct ascii_group g;
	struct span name;

	if (p->rest.len < 3 || peek(p, 0) != '[' || peek(p, 1) != ':')
		return 0;
	end = memmem(p->rest.at + 2, p->rest.len - 2, ":]", 2);
	if (!end)
		return 0;
	name = span_of(p->rest.at, (size_t)(end + 2 - p->rest.at));
	if (!ascii_group_find(name, &g))
		return regex_fail(p, "invalid character class range", name);
	skip(p, name.len);
	ascii_group_write(p->out, g, (p->flags & FLAG_FOLD) != 0);
	return 1;
}

/* A character of a class that starts at class. */
static int parse_class_rune(struct regex_parser *p, struct span class,
			    uint32_t *ret)
{
	if (!p->rest.len)
		return regex_fail(p, "missing closing ]", class);
	if (peek(p, 0) == '\\')
		return regex_parse_escape(p, ret);
	return regex_next_rune(p, ret);
}

int regex_parse_class_range(struct regex_parser *p, struct span class)
{
	struct span start = p->rest;
	uint32_t lo;
	uint32_t hi;
	int r = parse_class_rune(p, class, &lo);

	if (r < 0)
		return r;
	hi = lo;
	/* In [a-] the - is itself. */
	if (p->rest.len >= 2 && peek(p, 0) == '-' && peek(p, 1) != ']') {
		skip(p, 1);
		r = parse_class_rune(p, class, &hi);
		if (r < 0)
			return r;
		if (hi < lo)
			return regex_fail(p, "invalid character class range",
					  read_since(p, start));
	}
	range_write(p->out, lo, hi);
	return 0;
}

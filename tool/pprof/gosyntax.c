/* SPDX-License-Identifier: MIT */
/* See gosyntax.h. */
#include "pprof/gosyntax.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"

int go_parse_bool(const char *text, bool *ret)
{
	static const char *const yes[] = {
		"1", "t", "T", "true", "TRUE", "True"
	};
	static const char *const no[] = { "0",	   "f",	    "F",
					  "false", "FALSE", "False" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (!strcmp(text, yes[i]) || !strcmp(text, no[i])) {
			*ret = !strcmp(text, yes[i]);
			return 0;
		}
	}
	return -EINVAL;
}

/* The base that text starts with, and where its digits begin. */
static unsigned take_base(const char **text)
{
	static const struct {
		char letter;
		unsigned base;
	} prefixes[] = { { 'x', 16 }, { 'o', 8 }, { 'b', 2 } };

	if (**text != '0' || !(*text)[1])
		return 10;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (tolower((unsigned char)(*text)[1]) == prefixes[i].letter) {
			*text += 2;
			return prefixes[i].base;
		}
	}
	*text += 1;
	return 8;
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (isalpha((unsigned char)c))
		return (unsigned)(tolower((unsigned char)c) - 'a') + 10;
	return 99;
}

/* Adds one digit; a number that has become too large stays so. */
static void add_digit(uint64_t *value, bool *large, unsigned base, unsigned d)
{
	if (__builtin_mul_overflow(*value, base, value) ||
	    __builtin_add_overflow(*value, d, value))
		*large = true;
}

/* Whether the '_' at p stands where one may: between digits, or behind 0x. */
static bool separates(const char *start, const char *p)
{
	return p > start && isalnum((unsigned char)p[-1]) &&
	       isalnum((unsigned char)p[1]);
}

static int parse_digits(const char *start, bool any_base, uint64_t *ret)
{
	const char *p = start;
	unsigned base = any_base ? take_base(&p) : 10;
	bool large = false;
	uint64_t value = 0;

	if (!*p)
		return -EINVAL;
	for (; *p; p++) {
		if (*p == '_' && any_base && separates(start, p))
			continue;
		if (digit_value(*p) >= base)
			return -EINVAL;
		add_digit(&value, &large, base, digit_value(*p));
	}
	*ret = value;
	return large ? -ERANGE : 0;
}

int go_parse_int(const char *text, bool any_base, unsigned bits, int64_t *ret)
{
	bool negative = *text == '-';
	uint64_t most = ((uint64_t)1 << (bits - 1)) - !negative;
	uint64_t value;
	int r;

	if (*text == '-' || *text == '+')
		text++;
	r = parse_digits(text, any_base, &value);
	if (r < 0)
		return r;
	if (value > most)
		return -ERANGE;

	*ret = negative ? (int64_t)(0 - value) : (int64_t)value;
	return 0;
}

/* What strtod() takes for a number but Go does not: hexadecimal digits without
 * an exponent, and what is neither a number nor without a sign. */
static bool is_strange(const char *text)
{
	const char *number = text + (*text == '-' || *text == '+');

	if (isspace((unsigned char)*text) || strchr(text, '('))
		return true;
	if (number[0] == '0' && (number[1] == 'x' || number[1] == 'X'))
		return !strpbrk(number, "pP");
	return number != text && !strncasecmp(number, "nan", 3);
}

/* text without the '_' between its digits; false: one stands elsewhere, or the
 * text is longer than any number that tells something. */
static bool join_digits(const char *text, char *joined, size_t size)
{
	size_t len = 0;

	for (const char *p = text; *p; p++) {
		if (len + 1 == size || (*p == '_' && !separates(text, p)))
			return false;
		if (*p != '_')
			joined[len++] = *p;
	}
	joined[len] = '\0';
	return true;
}

int go_parse_float(const char *text, double *ret)
{
	char joined[400];
	char *end;
	double value;

	if (is_strange(text) || !join_digits(text, joined, sizeof(joined)))
		return -EINVAL;
	errno = 0;
	value = strtod(joined, &end);
	if (end == joined || *end)
		return -EINVAL;
	if (errno == ERANGE && isinf(value))
		return -ERANGE;

	*ret = value;
	return 0;
}

/* Shortest digits and the exponent of a finite value, by trying. */
static int shortest(double value, char digits[32])
{
	char text[32];
	int precision = 0;

	do {
		snprintf(text, sizeof(text), "%.*e", precision, value);
	} while (strtod(text, NULL) != value && precision++ < 17);

	const char *e = strchr(text, 'e');
	size_t n = 0;

	for (const char *p = text; p < e; p++)
		if (isdigit((unsigned char)*p))
			digits[n++] = *p;
	digits[n] = '\0';
	return atoi(e + 1);
}

/* Digits with a decimal point, for exponents from -4 to 5. */
static void plain_text(char *text, size_t size, const char *digits,
		       int exponent)
{
	int count = (int)strlen(digits);
	int before = exponent + 1;

	if (before <= 0)
		snprintf(text, size, "0.%.*s%s", -before, "000", digits);
	else if (before >= count)
		snprintf(text, size, "%s%.*s", digits, before - count, "00000");
	else
		snprintf(text, size, "%.*s.%s", before, digits,
			 digits + before);
}

void go_float_text(double value, char *text, size_t size)
{
	char digits[32];
	int exponent;

	if (isnan(value) || isinf(value)) {
		snprintf(text, size, "%s",
			 isnan(value) ? "NaN"
			 : value > 0  ? "+Inf"
				      : "-Inf");
		return;
	}
	if (signbit(value) && size > 1) {
		*text++ = '-';
		size--;
	}
	exponent = shortest(fabs(value), digits);
	if (exponent >= -4 && exponent < 6) {
		plain_text(text, size, digits, exponent);
		return;
	}
	snprintf(text, size, "%c%s%se%c%02d", digits[0], digits[1] ? "." : "",
		 digits + 1, exponent < 0 ? '-' : '+', abs(exponent));
}

/* Bytes of the UTF-8 character at p, 0 if there is none that can be shown. */
static unsigned utf8_length(const unsigned char *p)
{
	unsigned n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;

	if (!n || *p > 0xf4 || (*p == 0xc2 && p[1] < 0xa0))
		return 0;
	for (unsigned i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* Writes the escape of one byte; returns its length. */
static unsigned escape(unsigned char c, char out[5])
{
	static const char letters[] = "\aa\bb\ff\nn\rr\tt\vv\"\"\\\\";

	for (const char *l = letters; *l; l += 2) {
		if ((unsigned char)l[0] == c) {
			out[0] = '\\';
			out[1] = l[1];
			return 2;
		}
	}
	if (c >= ' ' && c < 0x7f) {
		out[0] = (char)c;
		return 1;
	}
	return (unsigned)sprintf(out, "\\x%02x", c);
}

void go_quote(const char *text, char *buf, size_t size)
{
	size_t used = 0;

	ASSERT(size >= 8);
	buf[used++] = '"';
	while (*text && used + 6 < size) {
		unsigned n = utf8_length((const unsigned char *)text);

		if (n) {
			memcpy(buf + used, text, n);
			used += n;
			text += n;
		} else {
			used += escape((unsigned char)*text++, buf + used);
		}
	}
	buf[used++] = '"';
	buf[used] = '\0';
}

void go_seconds_text(int64_t seconds, char *buf, size_t size)
{
	long long s = seconds;

	if (s >= 3600)
		snprintf(buf, size, "%lldh%lldm%llds", s / 3600, s / 60 % 60,
			 s % 60);
	else if (s >= 60)
		snprintf(buf, size, "%lldm%llds", s / 60, s % 60);
	else
		snprintf(buf, size, "%llds", s);
}

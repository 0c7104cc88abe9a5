/* SPDX-License-Identifier: MIT */
/*
 * See decimal.h.  A double is a whole number of 53 bits times a power of two.
 * Times a power of ten it is an exact fraction, which integers of 128 bits hold
 * for all values that anybody reads.
 */
#include "base/decimal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/digits.h"
#include "base/fmt.h"

typedef unsigned __int128 wide;

enum {
	MANTISSA = 52,
	BIAS = 1075,	/* of the exponent, for a whole mantissa */
	SHORT_MAX = 22, /* decimals of the smallest that is shown */
};

#define LARGEST ((((wide)10000000000000000000u) * 10000000000000000000u) - 1)

struct parts {
	uint64_t mantissa;
	int exponent; /* of two */
	bool negative;
};

static struct parts take_apart(double value)
{
	uint64_t bits;
	int exponent;
	uint64_t fraction;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (int)(bits >> MANTISSA & 0x7ff);
	fraction = bits & (((uint64_t)1 << MANTISSA) - 1);
	return (struct parts){
		.mantissa = exponent ? fraction | (uint64_t)1 << MANTISSA
				     : fraction,
		.exponent = (exponent ? exponent : 1) - BIAS,
		.negative = bits >> 63,
	};
}

/* decimals is at most 9. */
static wide tenfold(uint64_t mantissa, unsigned decimals)
{
	static const uint32_t power[] = { 1,	     10,       100,
					  1000,	     10000,    100000,
					  1000000,   10000000, 100000000,
					  1000000000 };

	return (wide)mantissa * power[decimals];
}

/* n / 2^shift, rounded; of two that are as near the even one. */
static wide shift_down(wide n, unsigned shift)
{
	wide whole, rest, half;

	if (shift >= 127)
		return 0;
	whole = n >> shift;
	rest = n - (whole << shift);
	half = (wide)1 << (shift - 1);
	return whole + (rest > half || (rest == half && (whole & 1)));
}

/* The whole number nearest to |value| times 10^decimals. */
static wide scaled(struct parts p, unsigned decimals)
{
	wide n = tenfold(p.mantissa, decimals);

	if (p.exponent < 0)
		return shift_down(n, (unsigned)-p.exponent);
	if (p.exponent >= 127 || n > LARGEST >> p.exponent)
		return LARGEST;
	return n << p.exponent;
}

/* Digits of n before end, at least so many, and one; returns the first. */
static char *put_digits(char *end, wide n, unsigned least)
{
	char *at = end;

	for (; n > UINT64_MAX; n /= 10)
		*--at = (char)('0' + (int)(n % 10));
	at = digits_before(at, (uint64_t)n);
	while ((unsigned)(end - at) < least)
		*--at = '0';
	return at;
}

/* n times 10^-decimals, and its sign. */
static struct decimal with_point(wide n, unsigned decimals, bool negative)
{
	struct decimal d;
	char digits[48];
	char *end = digits + sizeof(digits);
	const char *first = put_digits(end, n, decimals + 1);
	size_t whole = (size_t)(end - first) - decimals;
	char *at = d.text;

	if (negative)
		*at++ = '-';
	memcpy(at, first, whole);
	at += whole;
	if (decimals)
		*at++ = '.';
	memcpy(at, first + whole, decimals);
	at[decimals] = '\0';
	d.len = (size_t)(at - d.text) + decimals;
	return d;
}

struct decimal decimal_fixed(double value, unsigned decimals)
{
	struct parts p = take_apart(value);

	ASSERT(decimals <= 9);
	if (value != value)
		return (struct decimal){ "nan", 3 };
	return with_point(scaled(p, decimals), decimals, p.negative);
}

/* digits, 10 to 99, times 10^-decimals; no zero at the end is written. */
static struct decimal put_short(unsigned digits, unsigned decimals)
{
	struct decimal d;
	unsigned power = decimals - 1; /* of the first digit, negated */

	if (digits % 10 == 0) {
		digits /= 10;
		decimals--;
	}
	if (power <= 4)
		return with_point(digits, decimals, false);
	if (digits < 10)
		d.len = fmt_text(d.text, sizeof(d.text), "%ue-%02u", digits,
				 power);
	else
		d.len = fmt_text(d.text, sizeof(d.text), "%u.%ue-%02u",
				 digits / 10, digits % 10, power);
	return d;
}

struct decimal decimal_short(double value)
{
	struct parts p = take_apart(value);
	unsigned shift = (unsigned)-p.exponent;
	wide n = (wide)p.mantissa * 10;
	unsigned decimals = 1;
	unsigned digits;

	ASSERT(value >= 0 && value < 9);
	/* Until there are two digits before the point. */
	for (; decimals <= SHORT_MAX && (shift >= 127 || n >> shift < 10);
	     decimals++)
		n *= 10;
	if (decimals > SHORT_MAX)
		return (struct decimal){ "0", 1 };
	digits = (unsigned)shift_down(n, shift);
	if (digits == 100)
		return put_short(10, decimals - 1);
	return put_short(digits, decimals);
}

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

static wide tenfold(uint64_t mantissa, unsigned decimals)
{
	wide n = mantissa;

	for (unsigned i = 0; i < decimals; i++)
		n *= 10;
	return n;
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

/* The same, but the one below, of a value with a fraction. */
static wide scaled_down(struct parts p, unsigned decimals)
{
	return -p.exponent < 127 ? tenfold(p.mantissa, decimals) >> -p.exponent
				 : 0;
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

struct decimal decimal_fixed(double value, unsigned decimals)
{
	struct decimal d = { "nan" };
	char digits[48];
	char *end = digits + sizeof(digits);
	struct parts p = take_apart(value);
	const char *first;
	char *at = d.text;
	size_t whole;

	ASSERT(decimals <= 9);
	if (value != value)
		return d;
	first = put_digits(end, scaled(p, decimals), decimals + 1);
	whole = (size_t)(end - first) - decimals;
	if (p.negative)
		*at++ = '-';
	memcpy(at, first, whole);
	at += whole;
	if (decimals)
		*at++ = '.';
	memcpy(at, first + whole, decimals);
	at[decimals] = '\0';
	return d;
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
	if (power <= 4) {
		double value = digits;

		for (unsigned i = 0; i < decimals; i++)
			value /= 10;
		return decimal_fixed(value, decimals);
	}
	if (digits < 10)
		fmt_text(d.text, sizeof(d.text), "%ue-%02u", digits, power);
	else
		fmt_text(d.text, sizeof(d.text), "%u.%ue-%02u", digits / 10,
			 digits % 10, power);
	return d;
}

struct decimal decimal_short(double value)
{
	struct parts p = take_apart(value);
	unsigned decimals = 1;
	unsigned digits;

	ASSERT(value >= 0 && value < 9);
	while (decimals <= SHORT_MAX && scaled_down(p, decimals) < 10)
		decimals++;
	if (decimals > SHORT_MAX)
		return (struct decimal){ "0" };
	digits = (unsigned)scaled(p, decimals);
	if (digits == 100)
		return put_short(10, decimals - 1);
	return put_short(digits, decimals);
}

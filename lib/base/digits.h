/* SPDX-License-Identifier: MIT */
/*
 * Whole numbers as decimal digits: what every writer of numbers is made of.
 * Nothing is parsed and nothing is padded here.
 */
#ifndef WICK_BASE_DIGITS_H
#define WICK_BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

enum { DIGITS_MAX = 20 }; /* of 64 bits */

/* How many digits value has: 0 has one. */
static inline unsigned digits_count(uint64_t value)
{
	static const uint64_t power[DIGITS_MAX] = {
		0, /* no number is below the first that has one digit */
		10u,
		100u,
		1000u,
		10000u,
		100000u,
		1000000u,
		10000000u,
		100000000u,
		1000000000u,
		10000000000u,
		100000000000u,
		1000000000000u,
		10000000000000u,
		100000000000000u,
		1000000000000000u,
		10000000000000000u,
		100000000000000000u,
		1000000000000000000u,
		10000000000000000000u,
	};
	/* Of two, times the logarithm of two to the base of ten. */
	unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
	unsigned guess = bits * 1233 >> 12;

	return guess + (value >= power[guess]);
}

/*
 * Writes the digits of value so that they end before end, and returns the
 * first.  Two at a time: the time goes into dividing, and each division waits
 * for the one before it.
 */
static inline char *digits_before(char *end, uint64_t value)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";

	for (; value >= 100; value /= 100) {
		end -= 2;
		memcpy(end, &pairs[value % 100 * 2], 2);
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, &pairs[value * 2], 2);
	} else {
		*--end = (char)('0' + value);
	}
	return end;
}

/*
 * Writes the digits of value from at on and returns where they end; there must
 * be room for DIGITS_MAX.  How many there are is as good as random where very
 * many are written, and to guess it wrong takes longer than to write them.  So
 * up to eight are made at once, all in one word, and the zeros before them are
 * shifted out.
 */
static inline char *digits_add(char *at, uint64_t value)
{
	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		       "the lowest byte is written first");
	const uint64_t hundred_each = (uint64_t)0x7f << 32 | 0x7f;
	const uint64_t ten_each = (uint64_t)0x000f000f << 32 | 0x000f000f;
	uint64_t halves, hundreds, digits;
	unsigned zeros;

	if (value >= 100000000) {
		at += digits_count(value);
		digits_before(at, value);
		return at;
	}
	/* Four digits in each half; then two in each quarter, and one in each
	 * byte, the first digit lowest.  A product and a shift divide. */
	halves = value / 10000 | (value % 10000) << 32;
	hundreds = halves * 10486 >> 20 & hundred_each;
	hundreds |= (halves - 100 * hundreds) << 16;
	digits = hundreds * 103 >> 10 & ten_each;
	digits |= (hundreds - 10 * digits) << 8;
	/* The last one stays, zero or not. */
	zeros = (unsigned)__builtin_ctzll(digits | (uint64_t)1 << 56) / 8;
	digits = (digits | 0x3030303030303030) >> (8 * zeros);
	memcpy(at, &digits, sizeof(digits));
	return at + sizeof(digits) - zeros;
}

#endif /* WICK_BASE_DIGITS_H */

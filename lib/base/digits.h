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

#endif /* WICK_BASE_DIGITS_H */

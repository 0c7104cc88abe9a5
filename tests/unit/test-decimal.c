/* SPDX-License-Identifier: MIT */
/* Numbers with a point: what printf writes is what is right. */
#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "test.h"

static void check_fixed(double value, unsigned decimals)
{
	char want[400];

	snprintf(want, sizeof(want), "%.*f", (int)decimals, value);
	CHECK_STR(decimal_fixed(value, decimals).text, want);
}

static void check_short(double value)
{
	char want[64];

	snprintf(want, sizeof(want), "%.2g", value);
	CHECK_STR(decimal_short(value).text, want);
}

/* Below 1, of any size down to 10^-size. */
static double random_below(int size)
{
	return (0.1 + 0.9 * drand48()) * pow(10, -drand48() * size);
}

TEST(fixed_numbers_are_those_of_printf)
{
	static const double some[] = { 0,	   -0.0,   0.5,	   0.005,
				       0.125,	   2.675,  1e15,   99.995,
				       0.375,	   1e-300, 5e-324, -1.5,
				       123456.789, 0x1p53, 0x1p90, 9.2e18 };

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		for (unsigned decimals = 0; decimals <= 9; decimals++)
			check_fixed(some[i], decimals);
	for (int i = 0; i < 200000; i++)
		check_fixed((drand48() - 0.5) * pow(10, drand48() * 18),
			    (unsigned)i % 4);
}

TEST(what_is_beyond_is_cut_and_no_number_is_told)
{
	CHECK_EQ(strlen(decimal_fixed(1e300, 2).text), 39);
	CHECK_EQ(strlen(decimal_fixed(-(double)INFINITY, 0).text), 39);
	CHECK_STR(decimal_fixed((double)NAN, 2).text, "nan");
}

TEST(short_numbers_are_those_of_printf)
{
	static const double some[] = { 0,	1,	  0.95,	    0.951,
				       0.0097,	0.00996,  0.1,	    0.996,
				       0.0001,	0.00001,  0.000099, 0.0000996,
				       0.09951, 0.000125, 1e-19,    8.99 };

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		check_short(some[i]);
	for (int i = 0; i < 200000; i++)
		check_short(random_below(18));
	CHECK_STR(decimal_short(1e-30).text, "0");
	CHECK_STR(decimal_short(5e-324).text, "0");
}

TEST(digits_are_as_many_as_printf_writes)
{
	for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
		for (uint64_t i = power - 1; i <= power + 1; i++)
			CHECK_EQ(digits_count(i),
				 (unsigned)snprintf(NULL, 0, "%llu",
						    (unsigned long long)i));
	CHECK_EQ(digits_count(9999999999999999999u), 19);
	CHECK_EQ(digits_count(10000000000000000000u), 20);
	CHECK_EQ(digits_count(UINT64_MAX), 20);
}

static void check_digits(uint64_t value)
{
	char ours[DIGITS_MAX + 1] = "";
	char theirs[DIGITS_MAX + 1];

	*digits_add(ours, value) = '\0';
	snprintf(theirs, sizeof(theirs), "%llu", (unsigned long long)value);
	CHECK_STR(ours, theirs);
}

TEST(digits_are_those_that_printf_writes)
{
	uint64_t state = 1;

	for (uint64_t i = 0; i < 20000; i++)
		check_digits(i);
	for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
		for (uint64_t i = power - 1; i <= power + 1; i++)
			check_digits(i);
	for (unsigned i = 0; i < 100000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		check_digits(state >> state % 64);
	}
	check_digits(UINT64_MAX);
}

/* SPDX-License-Identifier: MIT */
/*
 * Unsampling: see legacy_scale.h.  Profiles read here are compared with those
 * that pprof reads, so results are cut, not rounded, in the same places, and
 * the exponential function is computed as its library does.
 */
#include "format/legacy_scale.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

/* Towards zero; what does not fit becomes the smallest number, as on x86. */
static int64_t to_integer(double x)
{
	const double limit = 9223372036854775808.0; /* 2^63 */

	return x >= -limit && x < limit ? (int64_t)x : INT64_MIN;
}

static double power_of_two(int exponent)
{
	uint64_t bits = (uint64_t)(exponent + 1023) << 52;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * e^x by the method of N. Shibata (ISC 2010), which Go uses on x86: with x =
 * k ln 2 + 16 r, the Taylor series of e^r - 1 is doubled four times and scaled
 * by 2^k.  libm's exp() is better in the last bit, but small allocations lose
 * most bits in 1 - e^x, and then the two differ by whole objects and bytes.
 */
static double exponential(double x)
{
	static const double taylor[] = { 1.0 / 5040, 1.0 / 720, 1.0 / 120,
					 1.0 / 24,   1.0 / 6,	0.5,
					 1.0 };
	const double ln2_high = 0.69314718055966295651160180568695068359375;
	const double ln2_low = 2.8235290563031577122588448175013436e-13;
	double k = nearbyint(x * 1.4426950408889634074);
	double r, y;

	/* Beyond these limits 1 / (1 - e^x) is 1 or as good as 0. */
	if (k < -1000)
		return 0;
	if (k > 1000)
		return INFINITY;

	r = fma(-k, ln2_high, x);
	r = fma(-k, ln2_low, r) / 16;
	y = 1.0 / 40320;
	for (size_t i = 0; i < ARRAY_SIZE(taylor); i++)
		y = fma(y, r, taylor[i]);
	y *= r;
	for (unsigned i = 0; i < 3; i++)
		y *= y + 2;
	return fma(y + 2, y, 1) * power_of_two((int)k);
}

struct allocations scale_allocations(struct allocations seen, int64_t rate)
{
	double count = (double)seen.count;
	double bytes = (double)seen.bytes;
	double factor;

	if (!seen.count || !seen.bytes)
		return (struct allocations){ 0 };
	if (rate <= 1)
		return seen;
	factor = 1 / (1 - exponential(-(bytes / count) / (double)rate));
	return (struct allocations){ .count = to_integer(count * factor),
				     .bytes = to_integer(bytes * factor) };
}

int64_t scale_cycles(int64_t cycles, int64_t period, int64_t hertz)
{
	double gigahertz = (double)hertz / 1e9;

	return to_integer((double)cycles * (double)period / gigahertz);
}

/* SPDX-License-Identifier: MIT */
/*
 * Binary search in ascending 32-bit keys, which stand alone (stride 1) or in
 * front of stride - 1 other words.
 */
#ifndef WICK_BASE_BOUND_H
#define WICK_BASE_BOUND_H

#include <stdint.h>

/*
 * How many keys are at or below want.  Written so that compilers use
 * conditional moves: the branches of a binary search are never predicted well.
 */
static inline uint32_t bound_above(const uint32_t *key, uint32_t stride,
				   uint32_t count, uint32_t want)
{
	uint32_t low = 0;

	if (!count)
		return 0;
	while (count > 1) {
		uint32_t half = count / 2;

		low = key[(low + half - 1) * (uint64_t)stride] <= want
			      ? low + half
			      : low;
		count -= half;
	}
	return low + (key[low * (uint64_t)stride] <= want);
}

/*
 * The same for somebody who asks in ascending order: near is where the last
 * answer was, and one a little further is found in a few steps and the same
 * cache line.  Any other near only costs time.
 */
static inline uint32_t bound_above_near(const uint32_t *key, uint32_t stride,
					uint32_t count, uint32_t want,
					uint32_t *near)
{
	uint32_t low = *near;
	uint32_t step = 8;

	*near = 0;
	if (!count)
		return 0; /* key may be NULL */
	if (low >= count || key[low * (uint64_t)stride] > want)
		low = 0;
	while (count - low > step &&
	       key[(low + step) * (uint64_t)stride] <= want) {
		low += step;
		step *= 2;
	}
	if (count - low < step)
		step = count - low;
	low += bound_above(key + low * (uint64_t)stride, stride, step, want);
	*near = low ? low - 1 : 0;
	return low;
}

#endif /* WICK_BASE_BOUND_H */

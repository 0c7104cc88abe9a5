/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_SCALE_H
#define WICK_FORMAT_LEGACY_SCALE_H

#include <stdint.h>

/* How many allocations there were, and their bytes together. */
struct allocations {
	int64_t count;
	int64_t bytes;
};

/*
 * Undoes Poisson sampling: an allocation of s bytes was seen with probability
 * 1 - e^(-s/rate), so what was seen is divided by that.  A rate of at most 1
 * means that all were seen.  If either number is 0, both become 0.
 */
struct allocations scale_allocations(struct allocations seen, int64_t rate);

/*
 * Nanoseconds from a sampled delay in cycles: one in period was seen, and the
 * clock ticks hertz times a second.  Both are positive.
 */
int64_t scale_cycles(int64_t cycles, int64_t period, int64_t hertz);

/*
 * Arithmetic that wraps around, as the values of a profile do everywhere; the
 * quotient of the two extremes is the one that does not trap.
 */
static inline int64_t wrapping_product(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

static inline int64_t wrapping_quotient(int64_t a, int64_t b)
{
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

#endif /* WICK_FORMAT_LEGACY_SCALE_H */

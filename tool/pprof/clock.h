/* SPDX-License-Identifier: MIT */
/* Time that never jumps, in milliseconds, for deadlines. */
#ifndef WICK_PPROF_CLOCK_H
#define WICK_PPROF_CLOCK_H

#include <limits.h>
#include <stdint.h>
#include <time.h>

static inline int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What poll(2) may wait for: until deadline, or for ever if it is 0. */
static inline int clock_left(int64_t deadline)
{
	int64_t left = deadline - clock_ms();

	if (!deadline)
		return -1;
	if (left <= 0)
		return 0;
	return left < INT_MAX ? (int)left : INT_MAX;
}

#endif /* WICK_PPROF_CLOCK_H */

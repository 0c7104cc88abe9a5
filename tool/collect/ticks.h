/* SPDX-License-Identifier: MIT */
/*
 * How much time a sample stands for, where processors are sampled by a clock.
 * Ticks that fall due while interrupts are off, or while a virtual machine is
 * not running, come late and once; each processor's clock rings whether it is
 * idle or not, so what is missing shows as a gap since its last sample.
 */
#ifndef WICK_COLLECT_TICKS_H
#define WICK_COLLECT_TICKS_H

#include <stdint.h>

#include "base/vec.h"

struct ticks {
	uint64_t period; /* nanoseconds; 0: samples are not ticks */
	VEC(uint64_t)
	last; /* by processor: when it was last sampled; 0: not yet */
};

/*
 * Notes a sample of any task, in the order of time for each processor.  Returns
 * the number of ticks that it stands for, at least 1.
 */
uint64_t ticks_take(struct ticks *t, struct arena *arena, uint32_t cpu,
		    uint64_t time);

#endif /* WICK_COLLECT_TICKS_H */

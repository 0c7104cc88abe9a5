/* SPDX-License-Identifier: MIT */
/* See ticks.h. */
#include "collect/ticks.h"

enum {
	CPUS_MAX = 4096,
	/* A longer gap is not a late tick, but a clock that was stopped. */
	GAP_MAX_MS = 100,
};

static uint64_t *last_of(struct ticks *t, struct arena *arena, uint32_t cpu)
{
	if (cpu >= CPUS_MAX)
		return NULL;
	if (cpu >= t->last.count) {
		if (!VEC_RESERVE(&t->last, arena, cpu + 1 - t->last.count))
			return NULL;
		t->last.count = cpu + 1;
	}
	return &t->last.at[cpu];
}

uint64_t ticks_take(struct ticks *t, struct arena *arena, uint32_t cpu,
		    uint64_t time)
{
	uint64_t *last = t->period ? last_of(t, arena, cpu) : NULL;
	uint64_t gap, count;

	if (!last)
		return 1;
	gap = *last && time > *last ? time - *last : 0;
	*last = time;
	if (gap > (uint64_t)GAP_MAX_MS * 1000000)
		return 1;
	count = (gap + t->period / 2) / t->period;
	return count ? count : 1;
}

/* SPDX-License-Identifier: MIT */
/* See workers.h. */
#include "base/workers.h"

#include <sched.h>

unsigned workers_useful(void)
{
	cpu_set_t set;
	int n;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	n = CPU_COUNT(&set);
	return n < 1 ? 1 : (unsigned)n;
}

/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_ARM_H
#define WICK_AGENT_ARM_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/capture.h"

struct watched;

/* How threads are made to interrupt themselves. */
struct arming {
	enum capture_engine engine;
	int signal;
	uint64_t period; /* nanoseconds of CPU time */
};

/*
 * The engine for a rate, as far as this process is allowed: POSIX timers up to
 * the kernel's own tick, beyond which they do not go; perf events above, if
 * they may see time spent in the kernel (else what system calls cost would be
 * missing).
 */
enum capture_engine arm_choose(uint64_t period);

/*
 * Makes the thread in slot number get a signal each period of its CPU time.
 * 0 or a negative errno; a perf event that cannot be had becomes a timer.
 */
int arm_thread(struct watched *t, uint32_t number, const struct arming *how);

/* Changes the period of one that is armed; 0 or a negative errno. */
int arm_change(struct watched *t, const struct arming *how);

/* Takes the clock away; nothing if it has none. */
void arm_remove(struct watched *t);

/* CPU time of a thread so far; false: it is gone. */
bool arm_cpu_time(int32_t tid, uint64_t *nanos);

#endif /* WICK_AGENT_ARM_H */

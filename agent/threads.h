/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_THREADS_H
#define WICK_AGENT_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/arm.h"

/*
 * All threads of the process, found by listing /proc/self/task: also those
 * that were there before, and those that no library call made.  Slots of
 * agent.threads that are in use are below top.  The sampler's.
 */
struct threads {
	struct arming arming; /* period 0: threads are known, not armed */
	int folder;	      /* /proc/self/task; -1: not open */
	uint32_t top;
	uint32_t count;
	uint32_t scan;	    /* number of the last one */
	uint32_t refused;   /* could not be armed */
	bool cut;	    /* the last scan did not see all */
	uint64_t scan_cost; /* nanoseconds */
	uint64_t born;	    /* threads seen later than this began with 0 */
	uint32_t *index;    /* by hash of tid: slot + 1; 0: none */
};

/*
 * Looks for new threads, which are armed, and for those that have ended.
 * Returns 0 or a negative errno: then nothing has changed.
 */
int threads_scan(struct threads *t);

/* Arms all, or with other settings, or (period 0) none. */
void threads_arm(struct threads *t, const struct arming *how);

/*
 * Takes clocks from threads that block the signal, where it would only wait
 * for somebody who waits for signals; returns how many do.
 */
uint32_t threads_check_masks(struct threads *t);

/* The name of a thread of this process; "" if it has ended. */
void threads_name(int32_t tid, char name[16]);

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t threads_now(void);

#endif /* WICK_AGENT_THREADS_H */

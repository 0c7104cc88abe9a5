/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_DRAIN_H
#define WICK_AGENT_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/step.h"

struct capture;
struct sample_record;

/* The addresses of a record, wherever they came from. */
struct drained {
	const uint64_t *pcs;
	uint32_t count;
	bool cut;
};

/*
 * Gives all that handlers left to the captures.  Each thread's samples share
 * the CPU time that the thread has used since the last time, by its own clock:
 * sums are right whatever was lost.  period is what clocks are set to.
 */
void drain(struct capture *captures, uint64_t period);

/*
 * Time of threads that no sample came for, since the kernel's ticks missed
 * them: it counts where the thread was last seen.  Of threads that have ended
 * it is given to all captures, of the others to the one that ends.
 */
void drain_ended(struct capture *captures, uint32_t top);
void drain_rest(struct capture *one, uint32_t top);

/* Drops what handlers left. */
void drain_discard(void);

/* Whether code was met that is not known; asked once, then forgotten. */
bool drain_wants_maps(void);

/* The stack of a record; unwound now if the handler could not. */
struct drained drain_stack(const struct sample_record *r, uint32_t kind);

/* A stack from registers and memory; reads the tables that it needs. */
struct drained drain_walk(struct unwind_regs regs,
			  const struct unwind_memory *memory);

#endif /* WICK_AGENT_DRAIN_H */

/* SPDX-License-Identifier: MIT */
/*
 * The calls that a program really makes, followed one instruction at a time:
 * what a walk has to find.
 */
#ifndef WICK_TEST_FOLLOW_H
#define WICK_TEST_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "target.h"

enum { FOLLOW_DEPTH = 4096 };

/* A call that has not returned, or a signal that was delivered. */
struct call {
	uint64_t slot;	/* x86-64: where the return address is; else sp */
	uint64_t where; /* what the walk must say */
	bool is_signal; /* followed by the interrupted pc */
	bool returned;	/* from the handler, into the trampoline */
	uint64_t interrupted;
	uint64_t hash; /* of this call and those below it */
};

struct follow {
	struct target *target;
	struct call calls[FOLLOW_DEPTH];
	uint32_t count;
};

/* Starts at the first instruction of a function whose callers are known:
 * pcs[0] is in the function itself. */
void follow_start(struct follow *f, const struct target_state *s,
		  const uint64_t *pcs, uint32_t n);

/* One instruction, code, was run; or a signal was delivered instead. */
void follow_step(struct follow *f, const struct target_state *before,
		 const struct target_state *now, const uint8_t *code);
void follow_signal(struct follow *f, const struct target_state *before,
		   const struct target_state *now);

/* The stack as a walk must give it, into 2 * FOLLOW_DEPTH + 1 pcs. */
uint32_t follow_stack(const struct follow *f, const struct target_state *s,
		      uint64_t *pcs);

/* Stands for the place and the whole stack: states with equal keys are walked
 * in the same way. */
uint64_t follow_key(const struct follow *f, const struct target_state *s);

#endif /* WICK_TEST_FOLLOW_H */

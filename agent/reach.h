/* SPDX-License-Identifier: MIT */
/*
 * What a signal handler may read.  There is no way to read memory in one step
 * that a fault cannot hit and every sandbox allows; between asking whether a
 * page is there and reading it, another thread may unmap it.  So the handler
 * reads only what its own thread is using: its stack, and the page of the code
 * that it was interrupted in.  Those do not vanish from under it.  Anything
 * else is refused, and left to the sampler, which can afford to ask (peek.h).
 */
#ifndef WICK_AGENT_REACH_H
#define WICK_AGENT_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/code.h"
#include "unwind/step.h"

struct reach {
	const struct code_view *view;
	uint64_t pc;
	uint64_t sp;
	uint64_t top;	/* the page behind the thread's control block */
	uint64_t other; /* a stack that was left for this one; 0: none */
	uint64_t good;	/* the page that was readable last; 0: none */
	uint64_t room;	/* from sp on, where the stack's end is not known */
	bool stack_known;
	bool refused; /* something was asked for that others may unmap */
};

/*
 * Fills in what the thread interrupted at pc with this stack pointer may read,
 * and the memory to unwind it with.  Both r and view must outlive m.
 */
void reach_of(struct reach *r, const struct code_view *view, uint64_t pc,
	      uint64_t sp, struct unwind_memory *m);

/*
 * Copies the stack from sp on, len bytes or as many as are there; returns how
 * many.  len is a multiple of 8.  Changes errno.
 */
uint32_t reach_copy_stack(struct reach *r, uint8_t *to, uint32_t len);

#endif /* WICK_AGENT_REACH_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_CALLSTACK_H
#define WICK_COLLECT_CALLSTACK_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/live.h"
#include "collect/suffix.h"
#include "unwind/walk.h"

struct binaries;
struct record_sample;
struct span;
struct thread;

enum { CALLSTACK_DEPTH = 4096, CALLSTACK_CACHE = 1 << 14 };

/* The user's part of a stack, leaf first. */
struct callstack {
	uint32_t count;
	/*
	 * How many of the callers' side were not in the copy of the stack, but
	 * read a moment later or taken from the sample before.
	 */
	uint32_t inferred;
	uint32_t guessed;
	bool outgrown; /* a small copy was, or would be, too small */
	enum unwind_reason reason;
	uint64_t pc[CALLSTACK_DEPTH];
};

/* What unwinding takes; one thread's. */
struct callstacks {
	struct binaries *binaries;
	struct live live;
	struct unwind_cache cache;
	uint32_t generation;
	struct unwind_slot slots[CALLSTACK_CACHE];
	struct stack_frame frame[CALLSTACK_DEPTH];
};

/* A zeroed one is made ready. */
void callstacks_init(struct callstacks *c, struct binaries *binaries);

/* Finds the stack of a sample of the thread. */
void callstack_find(struct callstacks *c, struct thread *t,
		    const struct record_sample *s, struct callstack *ret);

#endif /* WICK_COLLECT_CALLSTACK_H */

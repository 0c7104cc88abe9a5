/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_WALK_H
#define WICK_UNWIND_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/step.h"
#include "unwind/table.h"

/* A stretch of executable memory. */
struct unwind_module {
	uint64_t lo;
	uint64_t hi;
	uint64_t bias; /* run-time address minus the object's own */
	const struct unwind_table *table; /* NULL: frame pointers only */
};

/*
 * All executable memory of a process, sorted by lo, not overlapping: an
 * address outside is not code.  Immutable; a change is another map with
 * another generation, a number that no other map of any process has while a
 * cache is in use, and not 0.
 */
struct unwind_map {
	const struct unwind_module *modules;
	uint32_t count;
	uint32_t generation;
};

struct unwind_slot {
	uint64_t pc;
	uint32_t generation; /* 0: empty */
	struct unwind_rule rule;
};

_Static_assert(sizeof(struct unwind_slot) == 32, "two to a cache line");

/*
 * The rules of addresses met before, in memory of the caller's; older ones are
 * overwritten.  One walk at a time may use it: a signal handler that can
 * interrupt another user needs its own.
 */
struct unwind_cache {
	struct unwind_slot *slots;
	unsigned bits; /* there are 1 << bits slots */
	uint64_t hits;
	uint64_t misses;
};

/*
 * Uses size bytes at memory, which must be zeroed and aligned to 8, as a
 * cache; as many slots as fit, rounded down to a power of two, at least one.
 */
void unwind_cache_init(struct unwind_cache *c, void *memory, size_t size);

/* What a walk needs to know.  Everything is borrowed. */
struct unwind_walker {
	const struct unwind_map *map;
	struct unwind_cache *cache; /* or NULL */
	struct unwind_memory memory;
	uint64_t code_mask; /* bits of a code address; UNWIND_CODE_MASK... */
	uint16_t machine;   /* EM_X86_64, EM_AARCH64 */
};

#define UNWIND_CODE_MASK_X86	 UINT64_MAX
#define UNWIND_CODE_MASK_AARCH64 UINT64_C(0x0000ffffffffffff)

struct unwind_result {
	uint32_t count;	  /* of addresses stored */
	uint32_t guessed; /* of those, how many by frame pointer alone */
	enum unwind_reason reason;
};

/* The module whose code is at pc; NULL: none. */
const struct unwind_module *unwind_map_module(const struct unwind_map *map,
					      uint64_t pc);

/*
 * The rule for the code at pc; NULL: no table has one.  For those who want to
 * know about code, not to walk.
 */
const struct unwind_rule *unwind_map_find(const struct unwind_map *map,
					  uint64_t pc);

/*
 * Replaces regs by those of the caller.  On anything but UNWIND_GOING regs is
 * as before.  *guessed is set if the caller was found by frame pointer for
 * want of a rule.  Whether the caller's pc is code is found out by the step
 * after: UNWIND_NO_CODE, or UNWIND_COMPLETE if it is zero.
 */
enum unwind_reason unwind_step(const struct unwind_walker *w,
			       struct unwind_regs *regs, bool *guessed);

/*
 * Stores where the frame in regs and its callers are, at most max of them.
 * These are addresses to look up: for the interrupted code, below and above
 * signal frames, the next instruction; for a caller the last byte of its call,
 * since the return address behind may already belong to another function.
 *
 * Async-signal-safe, lock-free, allocates nothing, never faults if the memory
 * reader does not.
 */
struct unwind_result unwind_walk(const struct unwind_walker *w,
				 struct unwind_regs regs, uint64_t *pcs,
				 uint32_t max);

#endif /* WICK_UNWIND_WALK_H */

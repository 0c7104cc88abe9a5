/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_STACKPATHS_H
#define WICK_PROFILE_STACKPATHS_H

#include <stdint.h>

#include "profile/stack.h"

struct arena;

/*
 * A stack as it is read: its last frames, and how to go on.  first is where the
 * frames are in the table, or the frame itself if there is but one.
 */
struct stack_hop {
	uint32_t up; /* a stack, or STACK_PATH and a place in the pool */
	uint32_t first;
	uint32_t length;
};

/*
 * For reading very many stacks of a table in no order.  A stack shares its
 * callers with others, a frame here and a frame there, and each of them is
 * somewhere else in memory.  So the whole way up from some stacks is written
 * down in one piece, and to read a stack is then a few hops at most.
 *
 * Small tables are read as they are.  All of it is not more than the table
 * itself has, which keeps it.
 */
struct stackpaths {
	uint32_t count;		/* of stacks, when it was made; 0: it was not */
	struct stack_hop *hops; /* by stack_id; NULL: no need for any */
	VEC(frame_id) pool;	/* of each path its length, then its frames */
};

/*
 * To be called before the table is read, and again after stacks were added;
 * then any threads may read.  Returns 0 or -ENOMEM.
 */
int stack_prepare_reading(const struct stacktab *t);

/*
 * Writes at most room frames of a stack in front of end, the leaf last, and
 * leaves anything in what is left of the room.  Returns the depth, which may be
 * more than room.
 */
uint32_t stack_read(const struct stacktab *t, stack_id id, frame_id *end,
		    uint32_t room);

enum { STACK_WARM = 32 };

/*
 * Brings what reading these stacks will need, at most STACK_WARM of them, near
 * the processor.  Nothing but time depends on it: reading is mostly waiting,
 * and this waits once for all.
 */
void stack_warm(const struct stacktab *t, const stack_id *ids, uint32_t count);

/* Gives the arena back what it can take early. */
void stackpaths_release(struct stackpaths *p, struct arena *arena);

#endif /* WICK_PROFILE_STACKPATHS_H */

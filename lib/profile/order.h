/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_ORDER_H
#define WICK_PROFILE_ORDER_H

#include <stdint.h>

#include "profile/stack.h"

/*
 * The nodes of a stack tree in the order of a walk: each after its parent, and
 * each subtree in one piece.  What is kept by position is then read in order,
 * which is what makes walks of large trees fast.
 */
struct stack_order {
	stack_id *node; /* [0] is the empty stack; NULL: see order_node() */
	struct stack_node *step; /* the nodes, their parents by position */
	uint32_t count;
};

/* Which stack stands at a position: itself where ids are in order already. */
static inline stack_id order_node(const struct stack_order *o,
				  uint32_t position)
{
	return o->node ? o->node[position] : position;
}

/*
 * The order of a table, made when first asked for and again after stacks were
 * added; the table keeps it.  NULL: out of memory.
 */
const struct stack_order *stack_order_of(const struct stacktab *t);

/* Makes it anew.  The memory is arena's.  Returns 0 or -ENOMEM. */
int stack_order_make(struct stack_order *o, const struct stacktab *t,
		     struct arena *arena);

/*
 * Moves the frames of a table to where a walk meets them, for one that will be
 * walked again and again: what is read in order is there when it is needed.  No
 * other table may share or borrow them yet.
 */
void stacktab_lay_out(struct stacktab *t);

/*
 * The callers of the stack at a position, the outermost first, as positions.
 * The memory is arena's.  Returns how many, or -ENOMEM.
 */
int64_t order_callers(const struct stack_order *o, uint32_t position,
		      struct arena *arena, uint32_t **ret);

/* Where part number of parts of a walk starts; position 0 is nobody's. */
static inline uint32_t order_part_start(const struct stack_order *o,
					unsigned number, unsigned parts)
{
	return 1 + (uint32_t)((uint64_t)(o->count - 1) * number / parts);
}

/* Gives the arena back what it can take early. */
void stack_order_release(struct stack_order *o, struct arena *arena);

/*
 * Brings frames that a walk at a position will soon read near the processor:
 * runs are far apart in memory, and the order tells which comes when.  Always
 * inlined, because gcc drops calls of functions that do nothing but prefetch.
 */
__attribute__((always_inline)) static inline void order_ask_ahead(
	const struct stack_order *o, const struct stacktab *t,
	uint32_t position)
{
	enum { AHEAD = 16, LINE = 16, MOST = 64 };
	const struct stack_node *n = &o->step[position + AHEAD];
	const frame_id *frames;

	if (position + AHEAD >= o->count)
		return;
	frames = &t->frames.at[n->first];
	for (uint32_t f = 0; f < n->length && f < MOST; f += LINE)
		__builtin_prefetch(&frames[f]);
	__builtin_prefetch(&frames[n->length - 1]);
}

#endif /* WICK_PROFILE_ORDER_H */

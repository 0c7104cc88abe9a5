/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_ORDER_H
#define WICK_PROFILE_ORDER_H

#include <stdint.h>

#include "profile/stack.h"

/* A run of frames, in the order of the walk. */
struct stack_step {
	uint32_t parent; /* position of the run that it continues */
	uint32_t first;	 /* index into stacktab.frames */
	uint32_t length;
};

/*
 * The nodes of a stack tree in the order of a walk: each after its parent, and
 * each subtree in one piece.  What is kept by position is then read in order,
 * which is what makes walks of large trees fast.
 */
struct stack_order {
	stack_id *node; /* [0] is the empty stack, the root */
	struct stack_step *step;
	uint32_t count;
};

/*
 * The order of a table, made when first asked for and again after stacks were
 * added; the table keeps it.  NULL: out of memory.
 */
const struct stack_order *stack_order_of(const struct stacktab *t);

/* Makes it anew.  The memory is arena's.  Returns 0 or -ENOMEM. */
int stack_order_make(struct stack_order *o, const struct stacktab *t,
		     struct arena *arena);

/* Gives the arena back what it can take early. */
void stack_order_release(struct stack_order *o, struct arena *arena);

#endif /* WICK_PROFILE_ORDER_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_ORDER_H
#define WICK_PROFILE_ORDER_H

#include <stdint.h>

#include "profile/stack.h"

/*
 * The nodes of a stack tree in the order of a walk: each after its parent, and
 * each subtree in one piece.
 */
struct stack_order {
	stack_id *node; /* [0] is the empty stack, the root */
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

#endif /* WICK_PROFILE_ORDER_H */

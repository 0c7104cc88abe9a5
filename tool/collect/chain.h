/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_CHAIN_H
#define WICK_COLLECT_CHAIN_H

#include "base/span.h"

struct callstack;
struct unwind_map;

/*
 * The kernel's own walk along frame pointers, made when the sample was taken.
 * Most programs have none, and then it is rubbish; but where it ends at a
 * thread's start it is right, and Go's leads from stack to stack.  Continues a
 * stack that could not be followed for sure with it, if the two meet.
 */
void chain_join(const struct unwind_map *map, struct span chain,
		struct callstack *s);

#endif /* WICK_COLLECT_CHAIN_H */

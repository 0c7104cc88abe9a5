/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_SUFFIX_H
#define WICK_COLLECT_SUFFIX_H

#include <stdint.h>

/* A frame: where it is in the code, and where its part of the stack begins. */
struct stack_frame {
	uint64_t pc;
	uint64_t sp;
};

/*
 * The callers' side of the last whole stack of a thread.  A stack that can be
 * followed only half-way most likely goes on as that one did, if they meet: the
 * same code with its frame at the same place.
 */
struct suffix;

/*
 * Remembers count frames, leaf first, in *s, which is made if it is NULL; what
 * was there before is forgotten.  Without memory nothing is remembered.
 */
void suffix_set(struct suffix **s, const struct stack_frame *frames,
		uint32_t count);

/*
 * The callers of the frame, leaf first, and how many there are; NULL if it was
 * not in the last stack.  Valid until suffix_set().
 */
const struct stack_frame *suffix_find(const struct suffix *s,
				      struct stack_frame frame,
				      uint32_t *ret_count);

void suffix_free(struct suffix *s);

#endif /* WICK_COLLECT_SUFFIX_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_STACKFEED_H
#define WICK_REPORT_STACKFEED_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/stackpaths.h"

struct arena;

/* The frames of a stack, the leaf last. */
struct fed_stack {
	const frame_id *frames;
	uint32_t depth;
	VEC(frame_id) room;
};

/*
 * The stacks of samples, one after the other, for reports that write them all.
 * The next one is at hand as well, so that what it needs can be asked for in
 * time.  The feed's memory is the arena's: as much as the two deepest need of
 * the stacks that are not written down.
 */
struct stack_feed {
	const struct stacktab *stacks; /* prepared for reading */
	struct arena *arena;
	const stack_id *ids;
	uint32_t count;
	uint32_t read; /* stacks that were read, the next one included */
	struct fed_stack now;
	struct fed_stack next; /* empty after the last */
};

/*
 * Starts with the first of count stacks, of which there must be one.  Returns
 * false when memory ran out.
 */
bool stack_feed_start(struct stack_feed *f, const stack_id *ids,
		      uint32_t count);

/* Goes on to the next; false as above. */
bool stack_feed_go_on(struct stack_feed *f);

#endif /* WICK_REPORT_STACKFEED_H */

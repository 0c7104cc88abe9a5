/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_STACKPATHS_H
#define WICK_PROFILE_STACKPATHS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/stack.h"

struct arena;
struct workers;

/*
 * For reading very many stacks of a table.  A stack shares its callers with
 * others, a frame here and a frame there, and each of them is somewhere else in
 * memory.  So all stacks that will be read are written down in full, in the
 * order in which that will be.
 *
 * Small tables are read as they are, and so is what would take far more memory
 * than the table itself, which keeps all this.
 */
struct stackpaths {
	uint32_t stacks;    /* in the table when it was made; 0: it was not */
	uint32_t readers;   /* that many were to be read */
	uint32_t *place;    /* by stack_id, in the pool; NULL: none is there */
	VEC(frame_id) pool; /* of each stack its depth, then its frames */
};

/*
 * To be called before these stacks are read, by any threads, and again after
 * others were added to the table.  workers may be NULL.  Returns 0 or -ENOMEM.
 */
int stack_prepare_reading(const struct stacktab *t, const stack_id *ids,
			  uint32_t count, const struct workers *workers);

/*
 * The frames of a stack, the leaf last, if they are written down; or NULL.
 * Stacks that come soon are asked for: they are behind this one, but each is
 * read from its end, which no processor foresees.
 */
static inline const frame_id *stack_written(const struct stacktab *t,
					    stack_id id, uint32_t *depth)
{
	enum { LINE = 16, AHEAD = 256 };
	const struct stackpaths *p = t->paths;
	uint32_t place = p->place ? p->place[id] : 0;
	const frame_id *frames;

	*depth = 0;
	if (!place)
		return NULL;
	*depth = p->pool.at[place];
	frames = &p->pool.at[place + 1];
	for (uint32_t f = 0; f <= *depth; f += LINE)
		__builtin_prefetch(frames + f + AHEAD);
	return frames;
}

/*
 * For those that are not: writes at most room frames of a stack in front of
 * end, the leaf last.  Returns the depth, which may be more than room.
 */
uint32_t stack_read(const struct stacktab *t, stack_id id, frame_id *end,
		    uint32_t room);

/* Gives the arena back what it can take early. */
void stackpaths_release(struct stackpaths *p, struct arena *arena);

#endif /* WICK_PROFILE_STACKPATHS_H */

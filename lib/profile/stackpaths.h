/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_STACKPATHS_H
#define WICK_PROFILE_STACKPATHS_H

#include <stdbool.h>
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
 * than the table itself, which keeps all this.  And stacks of a table that was
 * made of another by leaving frames out are read as those of the other are
 * written down there, so that it is not done again for every filter.
 */
struct stackpaths {
	uint32_t stacks;    /* in the table when it was made; 0: it was not */
	uint32_t readers;   /* that many were to be read */
	uint32_t *place;    /* by stack_id, in front of the frames; NULL: none
			       is written down; 0: this one is not */
	VEC(frame_id) pool; /* of each stack its depth, then its frames */
	const frame_id *at; /* where the places are: there, or in another
			       table's pool.  Then one of these is set: */
	const uint64_t *left_out; /* a bit for each frame_id: it is not there */
	uint32_t *depth; /* by stack_id: of so many frames, all of them are */
};

/* What a table has of another, whose stacks it took over without some frames.
 */
struct stackpaths_origin {
	const struct stacktab *from; /* that are written down; it outlives t */
	const stack_id *map;	     /* by its stack_id: the one in t */
	const stack_id *ids;	     /* which of them will be read */
	uint32_t count;
	const bool *left_out; /* by frame_id; NULL: frames at one end are */
	uint32_t frames;      /* that there are */
	bool from_start; /* if so: those where threads start, not the leaves */
};

/* Takes over where stacks are written down.  t must be in order.  Returns 0 or
 * -ENOMEM. */
int stackpaths_derive(const struct stacktab *t,
		      const struct stackpaths_origin *o);

/* Whether stacks of a table are written down. */
bool stackpaths_are_there(const struct stacktab *t);

/*
 * To be called before these stacks are read, by any threads, and again after
 * others were added to the table.  workers may be NULL.  Returns 0 or -ENOMEM.
 */
int stack_prepare_reading(const struct stacktab *t, const stack_id *ids,
			  uint32_t count, const struct workers *workers);

/*
 * Asks for stacks that come soon: they are behind this one, but each is read
 * from its end, which no processor foresees.  Always inlined, because gcc drops
 * calls of functions that do nothing but prefetch.
 */
__attribute__((always_inline)) static inline void stackpaths_ask_ahead(
	const frame_id *frames, uint32_t depth)
{
	enum { LINE = 16, AHEAD = 256 };

	for (uint32_t f = 0; f <= depth; f += LINE)
		__builtin_prefetch(frames + f + AHEAD);
}

/* The frames of a stack, the leaf last, if they are written down; or NULL. */
static inline const frame_id *stack_written(const struct stacktab *t,
					    stack_id id, uint32_t *depth)
{
	const struct stackpaths *p = t->paths;
	uint32_t place = p->place && !p->left_out ? p->place[id] : 0;
	const frame_id *frames;

	*depth = 0;
	if (!place)
		return NULL;
	*depth = p->depth ? p->depth[id] : p->at[place];
	frames = &p->at[place + 1];
	stackpaths_ask_ahead(frames, *depth);
	return frames;
}

/* Soon this one will be read.  Always inlined, see above. */
__attribute__((always_inline)) static inline void stack_ask_ahead(
	const struct stacktab *t, stack_id id)
{
	if (t->paths->place)
		__builtin_prefetch(&t->paths->place[id]);
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

/* SPDX-License-Identifier: MIT */
/* See stackfeed.h. */
#include "report/stackfeed.h"

enum { FIRST_ROOM = 256 };

static bool read_stack(struct stack_feed *f, struct fed_stack *s, stack_id id)
{
	uint32_t room = s->room.capacity;

	s->frames = stack_written(f->stacks, id, &s->depth);
	if (s->frames)
		return true;
	s->depth = stack_read(f->stacks, id, s->room.at + room, room);
	if (s->depth > room) {
		if (!VEC_RESERVE(&s->room, f->arena, s->depth))
			return false;
		room = s->room.capacity;
		stack_read(f->stacks, id, s->room.at + room, room);
	}
	s->frames = s->room.at + room - s->depth;
	return true;
}

static bool read_next(struct stack_feed *f)
{
	enum { AHEAD = 8 };
	uint32_t left = f->count - f->read;

	if (left > AHEAD)
		stack_ask_ahead(f->stacks, f->ids[f->read + AHEAD]);
	if (!left) {
		f->next.depth = 0;
		return true;
	}
	return read_stack(f, &f->next, f->ids[f->read++]);
}

bool stack_feed_go_on(struct stack_feed *f)
{
	struct fed_stack done = f->now;

	f->now = f->next;
	f->next = done;
	return read_next(f);
}

bool stack_feed_start(struct stack_feed *f, const stack_id *ids, uint32_t count)
{
	f->ids = ids;
	f->count = count;
	f->read = 0;
	if (!VEC_RESERVE(&f->now.room, f->arena, FIRST_ROOM) ||
	    !VEC_RESERVE(&f->next.room, f->arena, FIRST_ROOM))
		return false;
	return read_next(f) && stack_feed_go_on(f);
}

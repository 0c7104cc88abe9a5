/* SPDX-License-Identifier: MIT */
/* See sharedarena.h. */
#include "report/sharedarena.h"

struct shared_arena *shared_arena_new(void)
{
	struct arena arena = { 0 };
	struct shared_arena *s = ARENA_NEW(&arena, struct shared_arena);

	if (!s)
		return NULL;
	s->arena = arena;
	atomic_init(&s->users, 1);
	return s;
}

struct shared_arena *shared_arena_use(struct shared_arena *s)
{
	if (s)
		atomic_fetch_add(&s->users, 1);
	return s;
}

void shared_arena_leave(struct shared_arena *s)
{
	struct arena arena;

	if (!s || atomic_fetch_sub(&s->users, 1) > 1)
		return;
	arena = s->arena;
	arena_release(&arena);
}

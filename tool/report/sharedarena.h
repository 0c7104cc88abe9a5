/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_SHAREDARENA_H
#define WICK_REPORT_SHAREDARENA_H

#include <stdatomic.h>

#include "base/arena.h"

/*
 * Memory that lives as long as anybody uses what is in it, in whatever thread.
 * Who made it alone allocates and frees there; others only read.
 */
struct shared_arena {
	struct arena arena; /* this, too, is in it */
	atomic_uint users;
};

/* With one user.  NULL: out of memory. */
struct shared_arena *shared_arena_new(void);

/* One user more, and one less; s may be NULL. */
struct shared_arena *shared_arena_use(struct shared_arena *s);
void shared_arena_leave(struct shared_arena *s);

#endif /* WICK_REPORT_SHAREDARENA_H */

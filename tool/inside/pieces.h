/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_PIECES_H
#define WICK_INSIDE_PIECES_H

#include <stdint.h>

#include "base/arena.h"
#include "profile/profile.h"

struct error;

/*
 * What the agents of one or more processes have written to folders, as one
 * profile.  The arena owns it.
 */
struct pieces {
	struct arena arena;
	struct profile profile;
	unsigned processes;
	unsigned unreadable; /* files that were not what they should be */
};

/*
 * Reads those that began at or after since and before until, nanoseconds of the
 * epoch.  folders ends with NULL.  Returns 0, -ENOENT if there are none, or
 * another negative errno with a sentence.  Release the arena in either case.
 */
int pieces_read(struct pieces *p, const char *const *folders, int64_t since,
		int64_t until, struct error *err);

#endif /* WICK_INSIDE_PIECES_H */

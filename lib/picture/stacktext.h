/* SPDX-License-Identifier: MIT */
/*
 * Stacks as text for a person, laid out as Go's goroutine profiles are with
 * debug=1 and debug=2.
 */
#ifndef WICK_PICTURE_STACKTEXT_H
#define WICK_PICTURE_STACKTEXT_H

#include <stdint.h>

struct arena;
struct profile;
struct sink;

/*
 * Each different stack with the sum of its values of a type, the largest first:
 * "3 @ 0x1234 0x5678", then a line for each frame.  name says of what it is a
 * profile.  What it needs meanwhile comes from arena.  Returns 0 or -ENOMEM.
 */
int stacktext_counts(const struct profile *p, uint32_t type, const char *name,
		     struct sink *out, struct arena *arena);

/*
 * Each sample by itself, in the profile's order, under what its labels "tid"
 * and "thread" say.  Returns 0 or -ENOMEM.
 */
int stacktext_threads(const struct profile *p, struct sink *out,
		      struct arena *arena);

#endif /* WICK_PICTURE_STACKTEXT_H */

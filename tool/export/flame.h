/* SPDX-License-Identifier: MIT */
/* Flame graphs of what a view leaves of a profile. */
#ifndef WICK_EXPORT_FLAME_H
#define WICK_EXPORT_FLAME_H

#include "picture/flame.h"

struct error;
struct profile;
struct sink;
struct view;

/*
 * Writes the flame graph of a profile as the view filters it: the one way to
 * get one, whether the profile was read or has just been recorded.  Remarks go
 * to talk, if it is not NULL.  Returns 0, -ENODATA if nothing is left to draw,
 * or another negative errno, with a sentence.
 */
int flame_write(const struct profile *p, const struct view *view,
		const struct flame_options *options, struct sink *out,
		struct sink *talk, struct error *err);

#endif /* WICK_EXPORT_FLAME_H */

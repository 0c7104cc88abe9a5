/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_TRAIL_INDEX_H
#define WICK_PROFILE_TRAIL_INDEX_H

struct trail;
struct workers;

/*
 * When all parts of a trail are walked: lists the edges, in the order of the
 * nodes they come from and then of those they go to, and tells each part which
 * of them it has.  Returns 0, -ENOMEM, or -E2BIG if there are too many.
 */
int trail_index(struct trail *t, const struct workers *workers);

#endif /* WICK_PROFILE_TRAIL_INDEX_H */

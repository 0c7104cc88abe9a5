/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_FRAMES_H
#define WICK_FORMAT_LEGACY_FRAMES_H

struct profile;

/*
 * Sets which frames of a profile are the profiler's or the allocator's own and
 * should not be shown (and which to show nevertheless), by what its values
 * are: the old formats do not say.  Add the types first.
 */
void legacy_set_frames(struct profile *p);

#endif /* WICK_FORMAT_LEGACY_FRAMES_H */

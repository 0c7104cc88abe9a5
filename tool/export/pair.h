/* SPDX-License-Identifier: MIT */
#ifndef WICK_EXPORT_PAIR_H
#define WICK_EXPORT_PAIR_H

#include <stdint.h>

struct arena;
struct error;
struct profile;

/*
 * Makes one profile of two, to be compared: its types are those of
 * folded.h's pairs, and each sample has the value that it had in its own
 * profile, and 0.  type says which value, as wick report's; NULL: the usual
 * one.  The two are changed.  Returns 0 or a negative errno with a sentence.
 */
int profile_pair(struct profile *out, struct arena *arena,
		 struct profile *const both[2], const char *type,
		 struct error *err);

/*
 * How many samples a profile is of: what its first type counts or, if that is
 * no count, its rows.
 */
uint64_t profile_samples(const struct profile *p);

#endif /* WICK_EXPORT_PAIR_H */

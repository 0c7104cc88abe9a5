/* SPDX-License-Identifier: MIT */
/*
 * Changing the values of a profile in place: scaling, bringing several profiles
 * to the same types and units.
 */
#ifndef WICK_PROFILE_SCALE_H
#define WICK_PROFILE_SCALE_H

struct error;
struct profile;

/*
 * Multiplies the values of type t by ratio[t], rounding half away from zero.
 * Samples that are then zero in every type whose ratio is not 1 are dropped;
 * if all ratios are 1 nothing happens.
 */
void profile_scale(struct profile *p, const double *ratio);

/* Makes all values negative, as profile_scale() does.  Returns 0 or -ENOMEM. */
int profile_negate(struct profile *p);

/*
 * Scales p so that its totals are those of base, type by type.  Returns 0 or
 * -EINVAL with a sentence if their types differ.
 */
int profile_normalize(struct profile *p, const struct profile *base,
		      struct error *err);

/*
 * Makes the profiles fit to be merged: types that not all have are dropped, the
 * others put in the first profile's order and scaled to the finest unit in
 * use.  Returns 0, or -EINVAL with a sentence; then some may have changed.
 */
int profile_compatible_types(struct profile *const *profiles, unsigned count,
			     struct error *err);

#endif /* WICK_PROFILE_SCALE_H */

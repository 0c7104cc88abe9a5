/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_MERGE_H
#define WICK_PROFILE_MERGE_H

struct error;
struct profile;

/*
 * Whether two profiles have the same types and the same period type.  Returns
 * 0, or -EINVAL with a sentence.
 */
int profile_mergeable(const struct profile *a, const struct profile *b,
		      struct error *err);

/*
 * Adds up count profiles (at least one) in out, which profile_init() made.
 * Mappings of one file are joined wherever they were loaded, equal locations,
 * functions and samples become one, rows that no sample uses are dropped, and
 * so are samples whose values are all zero.  Ids are given anew, from 1, in the
 * order of first use.  The profiles must be mergeable.  Returns 0 or a negative
 * errno with a sentence.
 */
int profile_merge(struct profile *out, const struct profile *const *profiles,
		  unsigned count, struct error *err);

#endif /* WICK_PROFILE_MERGE_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_FOLDED_H
#define WICK_FORMAT_FOLDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct error;
struct format;
struct profile;
struct sink;
struct workers;

/*
 * Folded (or collapsed) stacks, what flame graph scripts read:
 *
 *	main;parse;read_[k] 12
 *
 * Frames, the caller's first, and how often they were seen.  "_[k]" behind a
 * name says that it is the kernel's, "_[j]" that it was compiled at run time,
 * "_[i]" that it was inlined into the frame before it.  Lines with two counts
 * compare two profiles; such a file has the types "before" and "after", any
 * other has "samples".  Blank lines and those that begin with '#' are skipped.
 */
extern const struct format format_folded;

/* The types of a profile that compares two. */
#define FOLDED_BEFORE "before"
#define FOLDED_AFTER  "after"

/* Whether a profile has these two types and no other. */
bool folded_is_pair(const struct profile *p);

/*
 * Fills p.  Returns 0, -ENOTSUP if the beginning does not look like it,
 * -EBADMSG with a sentence if a line does not, or -ENOMEM.
 */
int folded_read(struct profile *p, struct span data, struct error *err);

/*
 * Writes each different stack with the sum of its values of one type; stacks
 * whose sum is 0 are left out.  The format has no room for ';' and line ends in
 * names, for a number at their end or a '#' at their start: ':', ' ', and '_'
 * are written instead.  Returns 0 or -ENOMEM.
 */
int folded_write_type(const struct profile *p, uint32_t type, struct sink *out,
		      struct error *err);

/*
 * The same with the two types of a profile that compares two, else with the
 * one that reports show if they are not told another.
 */
int folded_write(const struct profile *p, const struct workers *workers,
		 struct sink *out, struct error *err);

#endif /* WICK_FORMAT_FOLDED_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_TREELIST_WEIGH_H
#define WICK_PROFILE_TREELIST_WEIGH_H

#include <stdint.h>

struct arena;
struct treelist;
struct treelist_kin;
struct workers;

/*
 * Puts the rows of a list without spenders, which are in order by name and then
 * by weight, in order by weight and then by name.  There are so many calls
 * where runs end.  The old rows are not released.  Returns 0 or -ENOMEM, which
 * leaves the list of no use.
 */
int treelist_weigh(struct treelist *l, uint32_t calls,
		   const struct treelist_kin *kin,
		   const struct workers *workers, struct arena *arena);

#endif /* WICK_PROFILE_TREELIST_WEIGH_H */

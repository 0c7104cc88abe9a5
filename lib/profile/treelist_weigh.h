/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_TREELIST_WEIGH_H
#define WICK_PROFILE_TREELIST_WEIGH_H

#include <stdint.h>

struct arena;
struct treelist;
struct treelist_kin;
struct workers;

/*
 * Puts all nodes of a list into rows by weight and then by name, those that
 * spend the most first.  Before, its rows are by name and then by weight; those
 * of spenders, who are in that order, too, are behind all others.  There are so
 * many calls where runs end.  What was there before is not released.  Returns
 * 0, or -ENOMEM or -ECANCELED, which leave the list of no use.
 */
int treelist_weigh(struct treelist *l, uint32_t calls,
		   const struct treelist_kin *kin,
		   const struct workers *workers, struct arena *arena);

#endif /* WICK_PROFILE_TREELIST_WEIGH_H */

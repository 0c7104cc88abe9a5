/* SPDX-License-Identifier: MIT */
/*
 * Changing the stacks of a derived profile.  Each call walks the stack tree
 * once, makes a tree of the parts that stay (see stacktab_init_in_order()) and
 * gives every sample its new stack; samples that lose their stack are dropped
 * where that is said.  Sets of locations are arrays by location_id.  Large
 * trees are walked in parts if there are workers (NULL: none to spare); what
 * comes out means the same.  All return 0 or -ENOMEM.
 */
#ifndef WICK_PROFILE_RESTACK_H
#define WICK_PROFILE_RESTACK_H

#include <stdbool.h>

struct profile;
struct workers;

/* Takes the locations out of all stacks; samples left with none go. */
int restack_without(struct profile *p, const bool *hidden,
		    const struct workers *workers);

/* Starts each stack at its outermost location of the set; others go. */
int restack_from(struct profile *p, const bool *start,
		 const struct workers *workers);

/* Ends each stack at its innermost location of the set, if it has any. */
int restack_to(struct profile *p, const bool *end,
	       const struct workers *workers);

/*
 * Cuts each stack at the outermost location of either set, that one included
 * if it is in drop, but nothing before the first location that is in neither.
 */
int restack_prune(struct profile *p, const bool *drop, const bool *beneath,
		  const struct workers *workers);

/*
 * Keeps the samples with a stack that has a wanted location and no unwanted
 * one; the stacks themselves stay.
 */
int restack_focus(struct profile *p, const bool *wanted, const bool *unwanted,
		  const struct workers *workers);

#endif /* WICK_PROFILE_RESTACK_H */

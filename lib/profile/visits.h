/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_VISITS_H
#define WICK_PROFILE_VISITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/node.h"

/* Its nodes, if a location has several, are in a list: see struct visits. */
#define VISIT_LIST ((uint32_t)1 << 31)

/*
 * What each location does to a walk over stacks, in one word: 0, no node of it
 * is kept; else its only node, or VISIT_LIST and where its list is.  A list is
 * its length and the nodes, the outermost first, 0 for those not kept.
 */
struct visits {
	uint32_t *word; /* by location_id */
	VEC(uint32_t) lists;
};

/*
 * kept is by node_id; NULL: all are.  The memory is arena's.  Returns 0 or
 * -ENOMEM.
 */
int visits_make(struct visits *v, const struct nodetab *t, uint32_t locations,
		const bool *kept, struct arena *arena);

static inline const uint32_t *visit_list(const struct visits *v, uint32_t word)
{
	return &v->lists.at[word & ~VISIT_LIST];
}

/* The innermost node of a location; 0 if that one is not kept. */
static inline node_id visit_innermost(const struct visits *v, uint32_t word)
{
	const uint32_t *list;

	if (!(word & VISIT_LIST))
		return word;
	list = visit_list(v, word);
	return list[list[0]];
}

#endif /* WICK_PROFILE_VISITS_H */

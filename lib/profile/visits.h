/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_VISITS_H
#define WICK_PROFILE_VISITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/node.h"

/* Of struct visit: there is a list of them. */
#define VISIT_LIST ((uint32_t)1 << 31)

/*
 * What a location does to a walk over stacks.  Most locations have one node or
 * two, so that nothing else is to be read; node 0 stands for one that is not
 * kept.
 */
struct visit {
	node_id outer;
	uint32_t inner; /* inlined in it: 0, nothing; a node that is kept; or
			   VISIT_LIST and where they are in the lists */
};

/* A list is its length and the nodes, the outermost first. */
struct visits {
	struct visit *at; /* by location_id */
	VEC(uint32_t) lists;
};

/*
 * kept is by node_id; NULL: all are.  The memory is arena's.  Returns 0 or
 * -ENOMEM.
 */
int visits_make(struct visits *v, const struct nodetab *t, uint32_t locations,
		const bool *kept, struct arena *arena);

/* For an inner that is one. */
static inline const uint32_t *visit_list(const struct visits *v, uint32_t inner)
{
	return &v->lists.at[inner & ~VISIT_LIST];
}

/* The innermost node of a location; 0 if that one is not kept. */
static inline node_id visit_innermost(const struct visits *v, uint32_t location)
{
	struct visit visit = v->at[location];
	const uint32_t *list;

	if (!(visit.inner & VISIT_LIST))
		return visit.inner ? visit.inner : visit.outer;
	list = visit_list(v, visit.inner);
	return list[list[0]];
}

#endif /* WICK_PROFILE_VISITS_H */

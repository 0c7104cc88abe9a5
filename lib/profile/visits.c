/* SPDX-License-Identifier: MIT */
/* What locations do to a walk: see visits.h. */
#include "profile/visits.h"

#include <errno.h>

static node_id if_kept(const bool *kept, node_id node)
{
	return !kept || kept[node] ? node : 0;
}

/* Appends the nodes of location l as a list; false: out of memory. */
static bool add_list(struct visits *v, const struct nodetab *t, location_id l,
		     const bool *kept, struct arena *arena)
{
	uint32_t first = t->first[l], end = t->first[l + 1];

	if (v->lists.count >= VISIT_LIST ||
	    !VEC_RESERVE(&v->lists, arena, end - first + 1))
		return false;
	v->word[l] = VISIT_LIST | v->lists.count;
	v->lists.at[v->lists.count++] = end - first;
	for (uint32_t i = end; i-- > first;)
		v->lists.at[v->lists.count++] = if_kept(kept, t->ids.at[i]);
	return true;
}

int visits_make(struct visits *v, const struct nodetab *t, uint32_t locations,
		const bool *kept, struct arena *arena)
{
	*v = (struct visits){ 0 };
	v->word = ARENA_ARRAY(arena, uint32_t, locations);
	if (!v->word)
		return -ENOMEM;
	for (location_id l = 1; l < locations; l++) {
		uint32_t first = t->first[l], end = t->first[l + 1];
		bool any = false;

		for (uint32_t i = first; i < end; i++)
			any |= if_kept(kept, t->ids.at[i]) != 0;
		if (any && end - first == 1)
			v->word[l] = t->ids.at[first];
		else if (any && !add_list(v, t, l, kept, arena))
			return -ENOMEM;
	}
	return 0;
}

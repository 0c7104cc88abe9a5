/* SPDX-License-Identifier: MIT */
/* What locations do to a walk: see visits.h. */
#include "profile/visits.h"

#include <errno.h>

struct maker {
	struct visits *v;
	const struct nodetab *t;
	const bool *kept;
	struct arena *arena;
};

static node_id if_kept(const struct maker *m, node_id node)
{
	return !m->kept || m->kept[node] ? node : 0;
}

/* Lists nodes from first to before end, the last of which is the outermost. */
static bool add_list(struct maker *m, uint32_t first, uint32_t end,
		     uint32_t *ret_inner)
{
	struct visits *v = m->v;

	if (v->lists.count >= VISIT_LIST ||
	    !VEC_RESERVE(&v->lists, m->arena, end - first + 1))
		return false;
	*ret_inner = VISIT_LIST | v->lists.count;
	v->lists.at[v->lists.count++] = end - first;
	for (uint32_t i = end; i-- > first;)
		v->lists.at[v->lists.count++] = if_kept(m, m->t->ids.at[i]);
	return true;
}

static bool any_kept(const struct maker *m, uint32_t first, uint32_t end)
{
	bool any = false;

	for (uint32_t i = first; i < end; i++)
		any |= if_kept(m, m->t->ids.at[i]) != 0;
	return any;
}

/* False: out of memory. */
static bool add_location(struct maker *m, location_id l)
{
	uint32_t first = m->t->first[l], end = m->t->first[l + 1];
	struct visit *visit = &m->v->at[l];

	/* Where nobody is kept there is nothing to be told apart. */
	if (!any_kept(m, first, end))
		return true;
	end--;
	visit->outer = if_kept(m, m->t->ids.at[end]);
	if (end - first == 1)
		visit->inner = if_kept(m, m->t->ids.at[first]);
	/* One that is not kept would look as if there were none. */
	if (end == first || visit->inner)
		return true;
	return add_list(m, first, end, &visit->inner);
}

int visits_make(struct visits *v, const struct nodetab *t, uint32_t locations,
		const bool *kept, struct arena *arena)
{
	struct maker m = { v, t, kept, arena };

	*v = (struct visits){ 0 };
	v->at = ARENA_ARRAY(arena, struct visit, locations);
	if (!v->at)
		return -ENOMEM;
	for (location_id l = 1; l < locations; l++)
		if (!add_location(&m, l))
			return -ENOMEM;
	return 0;
}

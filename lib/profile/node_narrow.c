/* SPDX-License-Identifier: MIT */
/*
 * Nodes of a profile that a filter has taken lines from: see node.h.  To look
 * nodes up again, and to put their names in order, takes most of the time that
 * a report on it has.
 */
#include <errno.h>
#include <string.h>

#include "profile/node.h"

struct narrower {
	struct nodetab *t;
	const struct nodetab *of;
	const struct profile *wide;
	const struct profile *p;
};

static bool same_line(const struct line *a, const struct line *b)
{
	return a->function == b->function && a->line == b->line &&
	       a->column == b->column;
}

static void copy_ids(struct nodetab *t, const node_id *ids, uint32_t count)
{
	memcpy(t->ids.at + t->ids.count, ids, count * sizeof(*ids));
	t->ids.count += count;
}

/* Those of the lines that are left; false: some were not there before. */
static bool narrow_location(struct narrower *x, location_id l)
{
	const struct location *now = &x->p->locations.at[l];
	const struct location *was = &x->wide->locations.at[l];
	const struct line *left = location_lines(x->p, now);
	const struct line *lines = location_lines(x->wide, was);
	const node_id *ids = x->of->ids.at + x->of->first[l];
	uint32_t found = 0;

	if (now->address != was->address || now->mapping != was->mapping)
		return false;
	/* Nothing runs through a location that has lost all. */
	if (now->line_count == was->line_count || !now->line_count) {
		copy_ids(x->t, ids, x->of->first[l + 1] - x->of->first[l]);
		return true;
	}
	for (uint32_t i = 0; i < was->line_count && found < now->line_count;
	     i++)
		if (same_line(&lines[i], &left[found])) {
			copy_ids(x->t, &ids[i], 1);
			found++;
		}
	return found == now->line_count;
}

int nodetab_narrow(struct nodetab *t, const struct nodetab *of,
		   const struct profile *wide, const struct profile *p,
		   struct arena *arena)
{
	struct narrower x = { t, of, wide, p };
	uint32_t count = p->locations.count;

	if (count != wide->locations.count)
		return -ENOENT;
	*t = *of;
	memset(&t->ids, 0, sizeof(t->ids));
	t->first = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
	if (!t->first || !VEC_RESERVE(&t->ids, arena, of->ids.count + 1))
		return -ENOMEM;
	for (location_id l = 1; l < count; l++) {
		t->first[l] = t->ids.count;
		if (!narrow_location(&x, l))
			return -ENOENT;
	}
	t->first[count] = t->ids.count;
	return 0;
}

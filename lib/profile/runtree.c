/* SPDX-License-Identifier: MIT */
/*
 * See runtree.h.  Stacks mostly are such a tree as they are.  They are not
 * where several locations are the same entry, or where a filter has left the
 * same stack in several places: then they are merged first.
 */
#include "profile/runtree.h"

#include <errno.h>

#include "profile/graph.h"
#include "profile/mergetree.h"
#include "profile/order.h"

/* Whether an entry is that of two locations.  true as well: no memory. */
static bool has_alike(const struct graph_request *q, struct arena *scratch)
{
	const struct nodetab *t = q->nodes;
	location_id *owner = ARENA_ARRAY(scratch, location_id, t->info.count);

	for (location_id l = 1; owner && l < q->profile->locations.count; l++) {
		for (uint32_t i = t->first[l]; i < t->first[l + 1]; i++) {
			node_id n = t->ids.at[i];

			if (owner[n] && owner[n] != l)
				return true;
			owner[n] = l;
		}
	}
	return !owner;
}

/* Whether two runs that go on from the same stack begin with the same frame.
 * true as well: no memory. */
static bool has_twins(const struct graph_request *q, struct arena *scratch)
{
	const struct stack_order *o = q->order;
	const frame_id *frames = q->profile->stacks.frames.at;
	uint32_t *child = ARENA_ARRAY(scratch, uint32_t, o->count);
	uint32_t *sibling = ARENA_ARRAY(scratch, uint32_t, o->count);
	uint32_t *met = ARENA_ARRAY(scratch, uint32_t,
				    q->profile->locations.count);

	if (scratch->failed)
		return true;
	for (uint32_t i = 1; i < o->count; i++) {
		sibling[i] = child[o->step[i].parent];
		child[o->step[i].parent] = i;
	}
	for (uint32_t i = 0; i < o->count; i++) {
		for (uint32_t at = child[i]; at; at = sibling[at]) {
			uint32_t *last = &met[frames[o->step[at].first]];

			if (*last == i + 1)
				return true;
			*last = i + 1;
		}
	}
	return false;
}

static bool is_plain(const struct graph_request *q, struct arena *scratch)
{
	if (has_alike(q, scratch))
		return false;
	/* Else equal stacks are the same. */
	return !q->profile->stacks.in_order || !has_twins(q, scratch);
}

static int use_stacks(struct runtree *t, const struct graph_request *q,
		      struct arena *arena)
{
	t->runs = q->order->step;
	t->count = q->order->count;
	t->weights = q->weights->value;
	t->frames = q->profile->stacks.frames.at;
	return visits_make(&t->visits, q->nodes, q->profile->locations.count,
			   NULL, arena);
}

/* The segments of a merged tree, the root before them. */
static int use_segments(struct runtree *t, const struct mergetree *m,
			struct arena *arena)
{
	uint32_t count = m->up.count;
	struct stack_node *runs = ARENA_ARRAY(arena, struct stack_node,
					      (size_t)count + 1);
	uint32_t first = 0;

	if (!runs)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		runs[i + 1] = (struct stack_node){
			.parent = m->up.at[i] ? i + 1 - m->up.at[i] : 0,
			.first = first,
			.length = m->length.at[i],
		};
		first += m->length.at[i];
	}
	for (uint32_t i = 0; i < m->entries.count; i++)
		m->entries.at[i] &= ~MERGED_INLINED;
	t->runs = runs;
	t->count = count + 1;
	t->frames = m->entries.at;
	return 0;
}

/* What is spent at the ends of stacks, given to the segments they end with. */
static int weigh_segments(struct runtree *t, const struct mergetree *m,
			  const struct graph_request *q, struct arena *arena)
{
	const struct profile *p = q->profile;
	uint64_t *weights = ARENA_ARRAY(arena, uint64_t, t->count);
	uint32_t *ends = ARENA_ARRAY(arena, uint32_t, p->stacks.nodes.count);

	if (!weights || !ends)
		return -ENOMEM;
	for (uint32_t i = 0; i < q->order->count; i++)
		ends[order_node(q->order, i)] = m->end[i];
	for (uint32_t i = 0; i < p->sample_count; i++)
		weights[ends[p->stack[i]]] += (uint64_t)profile_values(
			p, i)[q->value.index];
	for (uint32_t i = t->count; i-- > 1;)
		weights[t->runs[i].parent] += weights[i];
	t->weights = weights;
	return 0;
}

static int merge(struct runtree *t, const struct graph_request *q,
		 struct arena *arena)
{
	uint32_t count = q->nodes->info.count;
	uint32_t *same = ARENA_ARRAY(arena, uint32_t, count);
	const struct mergetree_request request = {
		.profile = q->profile,
		.nodes = q->nodes,
		.order = q->order,
		.rank = same,
	};
	struct mergetree m;
	int r;

	if (!same)
		return -ENOMEM;
	for (node_id n = 0; n < count; n++)
		same[n] = n;
	r = mergetree_make(&m, &request, arena);
	if (r == 0)
		r = use_segments(t, &m, arena);
	return r < 0 ? r : weigh_segments(t, &m, q, arena);
}

int runtree_make(struct runtree *t, const struct graph_request *q,
		 struct arena *arena)
{
	struct arena scratch = { 0 };
	bool plain = is_plain(q, &scratch);

	arena_release(&scratch);
	*t = (struct runtree){ 0 };
	return plain ? use_stacks(t, q, arena) : merge(t, q, arena);
}

uint64_t runtree_longest(const struct runtree *t)
{
	uint64_t longest = 0, widest = 1;

	for (uint32_t i = 1; i < t->count; i++)
		if (t->runs[i].length > longest)
			longest = t->runs[i].length;
	for (uint32_t i = 0; i < t->visits.lists.count;
	     i += t->visits.lists.at[i] + 1)
		if (t->visits.lists.at[i] + 1 > widest)
			widest = t->visits.lists.at[i] + 1;
	/* One inlined entry makes no list. */
	return longest * (t->visits.at && widest < 2 ? 2 : widest);
}

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

/* What is spent at the ends of runs, from what is spent below them as well. */
static const uint64_t *sum_ends(const struct runtree *t, const uint64_t *sums,
				struct arena *arena)
{
	uint64_t *own = ARENA_ARRAY(arena, uint64_t, t->count);

	for (uint32_t i = 1; own && i < t->count; i++) {
		own[i] += sums[i];
		own[t->runs[i].parent] -= sums[i];
	}
	return own;
}

/* What is shown of sums by run, if it is means. */
static const uint64_t *divided(const struct runtree *t, const uint64_t *sums,
			       const uint64_t *divs, struct arena *arena)
{
	uint64_t *means = ARENA_ARRAY(arena, uint64_t, t->count);

	for (uint32_t i = 1; means && i < t->count; i++)
		means[i] = (uint64_t)mean_value((int64_t)sums[i],
						(int64_t)divs[i]);
	return means;
}

static int show_means(struct runtree *t, const uint64_t *divs,
		      struct arena *arena)
{
	const uint64_t *own_divs = sum_ends(t, divs, arena);

	for (uint32_t i = 1; i < t->count; i++)
		if (!t->weights[i] && divs[i])
			return -ENOTSUP;
	t->shown = divided(t, t->weights, divs, arena);
	if (own_divs)
		t->own_shown = divided(t, t->own, own_divs, arena);
	return t->shown && own_divs && t->own_shown ? 0 : -ENOMEM;
}

/* From sums by run, with all that follows it. */
static int weigh(struct runtree *t, const struct sums *s, struct arena *arena)
{
	t->weights = t->shown = s->value;
	t->own = t->own_shown = sum_ends(t, s->value, arena);
	if (!t->own)
		return -ENOMEM;
	return s->div ? show_means(t, s->div, arena) : 0;
}

static int use_stacks(struct runtree *t, const struct graph_request *q,
		      struct arena *arena)
{
	const struct sums sums = { q->weights->value, q->weights->div };
	int r;

	t->runs = q->order->step;
	t->count = q->order->count;
	r = weigh(t, &sums, arena);
	if (r < 0)
		return r;
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
	uint32_t *ends = ARENA_ARRAY(arena, uint32_t, p->stacks.nodes.count);
	struct sums sums;

	sums_init(&sums, t->count, q->value.mean, arena);
	if (arena->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < q->order->count; i++)
		ends[order_node(q->order, i)] = m->end[i];
	for (uint32_t i = 0; i < p->sample_count; i++) {
		const int64_t *v = profile_values(p, i);

		sums_add(&sums, ends[p->stack[i]],
			 (struct weight){ (uint64_t)v[q->value.index],
					  (uint64_t)v[0] });
	}
	for (uint32_t i = t->count; i-- > 1;)
		sums_add(&sums, t->runs[i].parent, sums_get(&sums, i));
	return weigh(t, &sums, arena);
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

/* SPDX-License-Identifier: MIT */
/*
 * A path of the merged tree is a list of places in the stack tree.  The places
 * that follow them are put in the order of their entries, and each group of
 * equal ones is the next path.  Lists lie on one stack, since the walk is depth
 * first; a path that nothing joins, which most are, is a list of one.
 */
#include "profile/mergetree.h"

#include <errno.h>
#include <string.h>

#include "base/sort.h"
#include "profile/order.h"
#include "profile/profile.h"

/* A place: an entry of a frame of a run. */
struct place {
	uint32_t position; /* of the run, in the walk's order */
	uint32_t frame;	   /* in the run */
	uint32_t entry;	   /* index into nodetab.ids */
	uint32_t rank;
};

/* A path to go on with: its places, and where the next lists may lie. */
struct task {
	uint32_t first;
	uint32_t count;
	uint32_t top;
	uint32_t caller; /* its segment + 1; 0: none */
};

struct merger {
	struct mergetree *t;
	const struct mergetree_request *q;
	struct arena *arena;
	struct arena *scratch;
	bool *sampled;	   /* by position: a sample ends here */
	uint32_t *subtree; /* by position: first one behind it; 0: no sample */
	VEC(struct place) places;
	VEC(struct task) tasks;
	VEC(struct sort_item) items;
	VEC(struct place) sorted;
};

static bool find_samples(struct merger *m)
{
	const struct profile *p = m->q->profile;
	const struct stack_order *o = m->q->order;
	bool *by_id = ARENA_ARRAY(m->scratch, bool, p->stacks.nodes.count);

	m->sampled = ARENA_ARRAY(m->scratch, bool, o->count);
	m->subtree = ARENA_ARRAY(m->scratch, uint32_t, o->count);
	if (!by_id || !m->sampled || !m->subtree)
		return false;
	for (uint32_t i = 0; i < p->sample_count; i++)
		by_id[p->stack[i]] = true;
	for (uint32_t i = 0; i < o->count; i++)
		m->sampled[i] = by_id[order_node(o, i)];
	return true;
}

/* Where subtrees end: the next run that is no deeper. */
static void find_subtrees(struct merger *m)
{
	const struct stack_order *o = m->q->order;
	uint32_t *behind = m->subtree;

	for (uint32_t i = o->count; i-- > 1;) {
		uint32_t *above = &behind[o->step[i].parent];

		if (!behind[i])
			behind[i] = i + 1;
		if (*above < behind[i])
			*above = behind[i];
	}
	if (!behind[0])
		behind[0] = 1;
}

/* Marks runs that no sample goes through; children stand behind parents. */
static bool find_useful(struct merger *m, bool **ret)
{
	const struct stack_order *o = m->q->order;
	bool *useful = ARENA_ARRAY(m->scratch, bool, o->count);

	if (!useful)
		return false;
	for (uint32_t i = o->count; i-- > 1;) {
		useful[i] |= m->sampled[i];
		useful[o->step[i].parent] |= useful[i];
	}
	*ret = useful;
	return true;
}

static location_id location_at(const struct merger *m, const struct place *c)
{
	const struct stack_node *s = &m->q->order->step[c->position];

	return m->q->profile->stacks.frames.at[s->first + c->frame];
}

/* Enters the frame that c is at, by its outermost function. */
static bool push_frame(struct merger *m, struct place c)
{
	struct place *n = VEC_PUSH(&m->places, m->scratch);

	if (!n)
		return false;
	c.entry = m->q->nodes->first[location_at(m, &c) + 1] - 1;
	c.rank = m->q->rank[m->q->nodes->ids.at[c.entry]];
	*n = c;
	return true;
}

static bool push_inner(struct merger *m, struct place c)
{
	struct place *n = VEC_PUSH(&m->places, m->scratch);

	if (!n)
		return false;
	c.entry--;
	c.rank = m->q->rank[m->q->nodes->ids.at[c.entry]];
	*n = c;
	return true;
}

static bool push_children(struct merger *m, uint32_t position,
			  const bool *useful)
{
	uint32_t behind = m->subtree[position];

	for (uint32_t i = position + 1; i < behind; i = m->subtree[i])
		if (useful[i] &&
		    !push_frame(m, (struct place){ .position = i }))
			return false;
	return true;
}

/* What follows a place; *ended: a stack ends with it. */
static bool step(struct merger *m, struct place c, const bool *useful,
		 bool *ended)
{
	const struct nodetab *nodes = m->q->nodes;

	if (c.entry > nodes->first[location_at(m, &c)])
		return push_inner(m, c);
	if (c.frame + 1 < m->q->order->step[c.position].length) {
		c.frame++;
		return push_frame(m, c);
	}
	if (m->sampled[c.position]) {
		m->t->end[c.position] = m->t->up.count;
		*ended = true;
	}
	return push_children(m, c.position, useful);
}

enum { FEW = 24 };

static void sort_few(struct place *at, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct place c = at[i];
		uint32_t j = i;

		for (; j && at[j - 1].rank > c.rank; j--)
			at[j] = at[j - 1];
		at[j] = c;
	}
}

static bool sort_many(struct merger *m, struct place *at, uint32_t count)
{
	m->items.count = 0;
	m->sorted.count = 0;
	if (!VEC_RESERVE(&m->items, m->scratch, 2 * (uint64_t)count) ||
	    !VEC_RESERVE(&m->sorted, m->scratch, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		m->items.at[i] = (struct sort_item){ .key = at[i].rank,
						     .id = i };
	sort_items(m->items.at, m->items.at + count, count);
	for (uint32_t i = 0; i < count; i++)
		m->sorted.at[i] = at[m->items.at[i].id];
	memcpy(at, m->sorted.at, count * sizeof(*at));
	return true;
}

static bool sort_places(struct merger *m, uint32_t first)
{
	uint32_t count = m->places.count - first;

	/* Where there was never one, there is no table either. */
	if (!count)
		return true;
	if (count > FEW)
		return sort_many(m, m->places.at + first, count);
	sort_few(m->places.at + first, count);
	return true;
}

/* Makes a task of each group of places from first on, the first one on top. */
static bool push_groups(struct merger *m, uint32_t first, uint32_t caller)
{
	uint32_t top = m->places.count;

	for (uint32_t end = top; end > first;) {
		uint32_t rank = m->places.at[end - 1].rank;
		uint32_t start = end - 1;
		struct task *task = VEC_PUSH(&m->tasks, m->scratch);

		if (!task)
			return false;
		while (start > first && m->places.at[start - 1].rank == rank)
			start--;
		*task = (struct task){ start, end - start, top, caller };
		end = start;
	}
	return true;
}

static bool push_entry(struct merger *m, const struct place *at, uint32_t count)
{
	const struct nodetab *nodes = m->q->nodes;
	uint32_t *entry = VEC_PUSH(&m->t->entries, m->arena);
	bool inlined = true;

	if (!entry)
		return false;
	for (uint32_t i = 0; i < count && inlined; i++)
		inlined = at[i].entry !=
			  nodes->first[location_at(m, &at[i]) + 1] - 1;
	*entry = at[0].rank | (inlined ? MERGED_INLINED : 0);
	m->t->length.at[m->t->length.count - 1]++;
	return true;
}

static bool push_segment(struct merger *m, uint32_t caller)
{
	uint32_t *up = VEC_PUSH(&m->t->up, m->arena);
	uint32_t *length = VEC_PUSH(&m->t->length, m->arena);

	if (!up || !length)
		return false;
	*up = caller ? m->t->up.count - caller : 0;
	return true;
}

/* Whether all places from first on, which are in order, are one group. */
static bool one_group(const struct merger *m, uint32_t first)
{
	uint32_t count = m->places.count;

	return count > first &&
	       m->places.at[first].rank == m->places.at[count - 1].rank;
}

/* Writes one segment, and leaves what it calls as tasks. */
static int run_task(struct merger *m, struct task task, const bool *useful)
{
	uint32_t at = task.first, count = task.count;
	bool ended = false;

	if (!push_segment(m, task.caller))
		return -ENOMEM;
	for (;;) {
		uint32_t next;

		m->places.count = at == task.top ? task.top + count : task.top;
		next = m->places.count;
		if (!push_entry(m, m->places.at + at, count))
			return -ENOMEM;
		if (m->t->entries.count > MERGED_MOST)
			return -EFBIG;
		for (uint32_t i = 0; i < count; i++)
			if (!step(m, m->places.at[at + i], useful, &ended))
				return -ENOMEM;
		count = m->places.count - next;
		memmove(m->places.at + task.top, m->places.at + next,
			count * sizeof(*m->places.at));
		m->places.count = task.top + count;
		if (!sort_places(m, task.top))
			return -ENOMEM;
		if (ended || !one_group(m, task.top))
			break;
		at = task.top;
	}
	return push_groups(m, task.top, m->t->up.count) ? 0 : -ENOMEM;
}

static int merge(struct merger *m)
{
	bool *useful;

	if (!find_samples(m) || !find_useful(m, &useful))
		return -ENOMEM;
	find_subtrees(m);
	if (!push_children(m, 0, useful) || !sort_places(m, 0) ||
	    !push_groups(m, 0, 0))
		return -ENOMEM;
	while (m->tasks.count) {
		struct task task = m->tasks.at[--m->tasks.count];
		int r = run_task(m, task, useful);

		if (r < 0)
			return r;
	}
	return 0;
}

int mergetree_make(struct mergetree *t, const struct mergetree_request *q,
		   struct arena *arena)
{
	struct arena scratch = { 0 };
	struct merger m = {
		.t = t, .q = q, .arena = arena, .scratch = &scratch
	};
	int r = -ENOMEM;

	*t = (struct mergetree){ 0 };
	t->end = ARENA_ARRAY(arena, uint32_t, q->order->count);
	if (t->end)
		r = merge(&m);
	arena_release(&scratch);
	return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * A node of a call tree is a path of entries, and since several locations can
 * be the same entry, several places in the stack tree can be that path.  Most
 * nodes are one place only, and all that follow it in its run are too.  So the
 * places of a node are gone through together, as a group, which parts where
 * their next entries differ; a place that is alone is done with in one step.
 * Nothing is made here: a large tree mostly has nodes that are only counted.
 */
#include "profile/treeplan.h"

#include <errno.h>

#include "base/check.h"
#include "profile/graph.h"
#include "profile/order.h"

/* An entry of a location in a run of frames. */
struct place {
	uint32_t position;
	uint32_t frame; /* index into the table's frames */
	uint32_t entry; /* index into the nodes' ids */
};

/* Places of one node. */
struct group {
	uint64_t cum;
	node_id info;
	uint32_t count;
	uint32_t next; /* where the next of them goes while they are sorted */
};

struct planner {
	struct tree_plan *plan;
	const struct graph_request *q;
	const struct stack_weights *w;
	uint64_t least;
	uint32_t *sibling; /* by position: the next of one parent; 0: none */
	uint32_t *mark;	   /* by entry: its group in found, if it has one */
	struct arena *scratch;
	VEC(struct place) next;	 /* what follows the group at hand */
	VEC(struct group) found; /* what that parts into */
	VEC(struct place) places;
	VEC(struct group) waiting; /* their places, in order */
};

static void link_siblings(struct planner *x, uint32_t *child)
{
	const struct stack_order *o = x->q->order;

	for (uint32_t i = o->count; i-- > 1;) {
		x->sibling[i] = child[o->step[i].parent];
		child[o->step[i].parent] = i;
	}
}

static int allocate(struct planner *x, struct arena *arena)
{
	uint32_t count = x->q->order->count;
	uint32_t *child = ARENA_ARRAY(x->scratch, uint32_t, count);

	x->plan->shared = ARENA_ARRAY(arena, uint32_t, count);
	if (x->least)
		x->plan->kept = ARENA_ARRAY(arena, uint32_t, count);
	x->sibling = ARENA_ARRAY(x->scratch, uint32_t, count);
	x->mark = ARENA_ARRAY(x->scratch, uint32_t, x->q->nodes->info.count);
	if (arena->failed || x->scratch->failed)
		return -ENOMEM;
	link_siblings(x, child);
	arena_free(x->scratch, child, count * sizeof(*child));
	return 0;
}

/* Moves to the outermost entry of the place's frame. */
static void enter_frame(const struct planner *x, struct place *p)
{
	const uint32_t *first = x->q->nodes->first;
	location_id l = x->q->profile->stacks.frames.at[p->frame];

	ASSERT(first[l] < first[l + 1]);
	p->entry = first[l + 1] - 1;
}

/* Moves to the next entry of the run; false: there is none. */
static bool advance(const struct planner *x, struct place *p)
{
	const struct stack_node *run = &x->q->order->step[p->position];
	location_id l = x->q->profile->stacks.frames.at[p->frame];

	if (p->entry > x->q->nodes->first[l]) {
		p->entry--;
		return true;
	}
	p->frame++;
	if (p->frame - run->first == run->length)
		return false;
	enter_frame(x, p);
	return true;
}

/* How many entries of the run follow. */
static uint64_t entries_left(const struct planner *x, const struct place *p)
{
	const frame_id *frames = x->q->profile->stacks.frames.at;
	const uint32_t *first = x->q->nodes->first;
	const struct stack_node *run = &x->q->order->step[p->position];
	uint64_t left = p->entry - first[frames[p->frame]];

	for (uint32_t f = p->frame + 1; f - run->first < run->length; f++)
		left += first[frames[f] + 1] - first[frames[f]];
	return left;
}

static bool push_next(struct planner *x, struct place p)
{
	struct place *next = VEC_PUSH(&x->next, x->scratch);

	if (next)
		*next = p;
	return next;
}

/* Lists where stacks go on from the end of a run; false: no memory. */
static bool follow(struct planner *x, uint32_t position)
{
	const struct stack_order *o = x->q->order;
	uint32_t child = position + 1;

	if (child == o->count || o->step[child].parent != position)
		return true;
	for (; child; child = x->sibling[child]) {
		struct place p = { .position = child,
				   .frame = o->step[child].first };

		if (!x->w->any[child])
			continue;
		enter_frame(x, &p);
		if (!push_next(x, p))
			return false;
	}
	return true;
}

/* The group that a place belongs to; NULL: no memory. */
static struct group *group_of(struct planner *x, const struct place *p)
{
	node_id info = x->q->nodes->ids.at[p->entry];
	uint32_t known = x->mark[info];
	struct group *g;

	if (known < x->found.count && x->found.at[known].info == info)
		return &x->found.at[known];
	x->mark[info] = x->found.count;
	g = VEC_PUSH(&x->found, x->scratch);
	if (g)
		*g = (struct group){ .info = info };
	return g;
}

static bool find_groups(struct planner *x)
{
	x->found.count = 0;
	for (uint32_t i = 0; i < x->next.count; i++) {
		struct group *g = group_of(x, &x->next.at[i]);

		if (!g)
			return false;
		g->cum += x->w->value[x->next.at[i].position];
		g->count++;
	}
	return true;
}

/* Parts what comes next into groups, which wait for their turn. */
static bool part(struct planner *x)
{
	uint32_t at = x->places.count;

	if (!find_groups(x) ||
	    !VEC_RESERVE(&x->waiting, x->scratch, x->found.count) ||
	    !VEC_RESERVE(&x->places, x->scratch, x->next.count))
		return false;
	for (uint32_t i = 0; i < x->found.count; i++) {
		x->found.at[i].next = at;
		at += x->found.at[i].count;
		x->waiting.at[x->waiting.count++] = x->found.at[i];
	}
	for (uint32_t i = 0; i < x->next.count; i++) {
		struct group *g = group_of(x, &x->next.at[i]);

		x->places.at[g->next++] = x->next.at[i];
	}
	x->places.count = at;
	return true;
}

/* The node is one place, and so is each behind it in the run. */
static bool go_on_alone(struct planner *x, const struct place *p, bool kept)
{
	if (!kept)
		x->plan->left_out += entries_left(x, p);
	else if (x->plan->kept)
		x->plan->kept[p->position] = UINT32_MAX;
	return follow(x, p->position);
}

static bool go_on(struct planner *x, struct place p, bool kept)
{
	if (kept)
		x->plan->shared[p.position]++;
	if (kept && x->plan->kept)
		x->plan->kept[p.position]++;
	if (advance(x, &p))
		return push_next(x, p);
	return follow(x, p.position);
}

/* The group at the end is a node: decides on it, and finds what follows. */
static bool take_group(struct planner *x)
{
	struct group g = x->waiting.at[--x->waiting.count];
	const struct place *places = x->places.at + x->places.count - g.count;
	bool kept = g.cum >= x->least;
	bool ok = true;

	x->places.count -= g.count;
	/* What is only counted must have a value to count. */
	if (!kept && !g.cum)
		return true;
	x->plan->left_out += !kept;
	x->next.count = 0;
	if (g.count == 1)
		ok = go_on_alone(x, places, kept);
	for (uint32_t i = 0; ok && g.count > 1 && i < g.count; i++)
		ok = go_on(x, places[i], kept);
	return ok && part(x);
}

int tree_plan_make(struct tree_plan *plan, const struct graph_request *q,
		   const struct stack_weights *w, uint64_t least,
		   struct arena *arena)
{
	struct arena scratch = { 0 };
	struct planner x = { .plan = plan, .q = q, .w = w, .least = least };
	int r;

	*plan = (struct tree_plan){ 0 };
	x.scratch = &scratch;
	r = allocate(&x, arena);
	if (r == 0 && (!follow(&x, 0) || !part(&x)))
		r = -ENOMEM;
	while (r == 0 && x.waiting.count)
		if (!take_group(&x))
			r = -ENOMEM;
	arena_release(&scratch);
	return r;
}

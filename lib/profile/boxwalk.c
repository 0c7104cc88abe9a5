/* SPDX-License-Identifier: MIT */
/* See boxwalk.h. */
#include "profile/boxwalk.h"

#include <errno.h>

#include "profile/order.h"
#include "profile/profile.h"
#include "profile/weight.h"

/*
 * What the samples that end in each stack add up to: its subtree's sum less
 * those of its children.  Sums wrap, so the difference is right again.  Those
 * below zero are left out: a box can not show them.
 */
static int find_own(struct box_walk *w, uint32_t side)
{
	const struct stack_order *o = w->q->order;
	const struct sample_value value = { .index = w->q->type[side] };
	struct stack_weights sums;
	int r = stack_weights_make(&sums, w->q->profile, o, value, w->arena);

	if (r < 0)
		return r;
	/* Children come later: none has lost a part of its own yet. */
	for (uint32_t i = 1; i < o->count; i++)
		sums.value[o->step[i].parent] -= sums.value[i];
	for (uint32_t i = 0; i < o->count; i++) {
		int64_t own = (int64_t)sums.value[i];

		w->own[side][i] = own > 0 ? (double)own : 0;
	}
	return 0;
}

static int make_side(struct box_walk *w, uint32_t side)
{
	const struct stack_order *o = w->q->order;
	double *own = ARENA_ARRAY(w->arena, double, o->count);
	double *sum = ARENA_ARRAY(w->arena, double, o->count);

	if (!own || !sum)
		return -ENOMEM;
	w->own[side] = own;
	w->sum[side] = sum;
	if (find_own(w, side) < 0)
		return -ENOMEM;
	for (uint32_t i = o->count; i-- > 1;) {
		sum[i] += own[i];
		sum[o->step[i].parent] += sum[i];
	}
	sum[0] += own[0];
	return 0;
}

int box_walk_init(struct box_walk *w, const struct boxtree_request *q,
		  struct arena *arena)
{
	const struct stack_order *o = q->order;

	*w = (struct box_walk){ .q = q, .arena = arena };
	w->end = ARENA_ARRAY(arena, uint32_t, o->count);
	if (!w->end)
		return -ENOMEM;
	for (uint32_t i = o->count; i-- > 1;) {
		uint32_t *above = &w->end[o->step[i].parent];

		if (!w->end[i])
			w->end[i] = i + 1;
		if (*above < w->end[i])
			*above = w->end[i];
	}
	if (!w->end[0])
		w->end[0] = 1;
	for (uint32_t side = 0; side < q->sides; side++)
		if (make_side(w, side) < 0)
			return -ENOMEM;
	return 0;
}

static location_id location_at(const struct box_walk *w, uint32_t position,
			       uint32_t frame)
{
	const struct stack_node *s = &w->q->order->step[position];

	return w->q->profile->stacks.frames.at[s->first + frame];
}

/* The entry at the caller's end of a location, or at the other. */
static uint32_t outermost(const struct box_walk *w, location_id l)
{
	return w->q->nodes->first[l + 1] - 1;
}

static uint32_t innermost(const struct box_walk *w, location_id l)
{
	return w->q->nodes->first[l];
}

bool box_cursor_inlined(const struct box_walk *w, const struct box_cursor *c)
{
	return c->entry != outermost(w, location_at(w, c->position, c->frame));
}

static struct box_cursor *push(struct box_walk *w, const struct box_cursor *c)
{
	struct box_cursor *n = VEC_PUSH(&w->next, w->arena);

	if (n)
		*n = *c;
	return n;
}

/* Where the stacks that continue the one at position begin to. */
static int step_to_children(struct box_walk *w, uint32_t position)
{
	for (uint32_t i = position + 1; i < w->end[position]; i = w->end[i]) {
		struct box_cursor c = { .position = i };
		double any = 0;

		for (uint32_t side = 0; side < w->q->sides; side++) {
			c.weight[side] = w->sum[side][i];
			any += c.weight[side];
		}
		c.entry = outermost(w, location_at(w, i, 0));
		if (any > 0 && !push(w, &c))
			return -ENOMEM;
	}
	return 0;
}

static int step_down(struct box_walk *w, const struct box_cursor *c)
{
	location_id l = location_at(w, c->position, c->frame);
	struct box_cursor n = *c;

	if (c->entry > innermost(w, l)) {
		n.entry--;
	} else if (c->frame + 1 < w->q->order->step[c->position].length) {
		n.frame++;
		l = location_at(w, n.position, n.frame);
		n.entry = outermost(w, l);
	} else {
		return step_to_children(w, c->position);
	}
	return push(w, &n) ? 0 : -ENOMEM;
}

static int step_up(struct box_walk *w, const struct box_cursor *c)
{
	const struct stack_node *step = w->q->order->step;
	location_id l = location_at(w, c->position, c->frame);
	struct box_cursor n = *c;

	if (c->entry < outermost(w, l)) {
		n.entry++;
		return push(w, &n) ? 0 : -ENOMEM;
	}
	if (c->frame > 0) {
		n.frame--;
	} else {
		n.position = step[c->position].parent;
		if (!n.position)
			return 0;
		n.frame = step[n.position].length - 1;
	}
	n.entry = innermost(w, location_at(w, n.position, n.frame));
	return push(w, &n) ? 0 : -ENOMEM;
}

/* Every stack that samples end in, from its end. */
static int start_at_leaves(struct box_walk *w)
{
	const struct stack_order *o = w->q->order;

	for (uint32_t i = 1; i < o->count; i++) {
		struct box_cursor c = { .position = i };
		double any = 0;

		for (uint32_t side = 0; side < w->q->sides; side++) {
			c.weight[side] = w->own[side][i];
			any += c.weight[side];
		}
		if (!(any > 0))
			continue;
		c.frame = o->step[i].length - 1;
		c.entry = innermost(w, location_at(w, i, c.frame));
		if (!push(w, &c))
			return -ENOMEM;
	}
	return 0;
}

int box_walk_step(struct box_walk *w, const struct box_cursor *c)
{
	if (w->q->reverse)
		return c ? step_up(w, c) : start_at_leaves(w);
	return c ? step_down(w, c) : step_to_children(w, 0);
}

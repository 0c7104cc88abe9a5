/* SPDX-License-Identifier: MIT */
/* Sums of samples over the stack tree: see weight.h. */
#include "profile/weight.h"

#include <errno.h>
#include <string.h>

#include "profile/order.h"
#include "profile/profile.h"

void sums_init(struct sums *s, uint32_t count, bool mean, struct arena *arena)
{
	s->value = ARENA_ARRAY(arena, uint64_t, count);
	s->div = mean ? ARENA_ARRAY(arena, uint64_t, count) : NULL;
}

/* Adds up the samples of each stack, by id. */
static void sum_samples(struct stack_weights *w, const struct profile *p,
			struct sample_value value)
{
	enum { AHEAD = 16 };

	for (uint32_t i = 0; i < p->sample_count; i++) {
		const int64_t *v = profile_values(p, i);
		stack_id id = p->stack[i];

		if (i + AHEAD < p->sample_count)
			__builtin_prefetch(&w->value[p->stack[i + AHEAD]], 1);
		w->value[id] += (uint64_t)v[value.index];
		if (w->div)
			w->div[id] += (uint64_t)v[0];
		w->any[id] |= v[value.index] || (w->div && v[0]);
	}
}

/* From the order of ids to that of the walk. */
static void put_in_order(struct stack_weights *w,
			 const struct stack_weights *by_id,
			 const struct stack_order *order)
{
	for (uint32_t i = 0; i < order->count; i++) {
		stack_id id = order_node(order, i);

		w->value[i] = by_id->value[id];
		w->any[i] = by_id->any[id];
		if (w->div)
			w->div[i] = by_id->div[id];
	}
}

/* Children stand behind their parents, so backwards they are complete. */
static void sum_subtrees(struct stack_weights *w,
			 const struct stack_order *order)
{
	for (uint32_t i = order->count; i-- > 1;) {
		uint32_t parent = order->step[i].parent;

		w->value[parent] += w->value[i];
		w->any[parent] |= w->any[i];
		if (w->div)
			w->div[parent] += w->div[i];
	}
}

static int allocate(struct stack_weights *w, uint32_t count, bool mean,
		    struct arena *arena)
{
	*w = (struct stack_weights){ 0 };
	w->value = ARENA_TABLE(arena, uint64_t, count);
	w->any = ARENA_TABLE(arena, bool, count);
	if (mean)
		w->div = ARENA_TABLE(arena, uint64_t, count);
	return !w->value || !w->any || (mean && !w->div) ? -ENOMEM : 0;
}

/* Where ids are no order, samples are added up by id first. */
static int sum_in_order(struct stack_weights *w, const struct profile *p,
			const struct stack_order *order,
			struct sample_value value)
{
	struct arena scratch = { 0 };
	struct stack_weights by_id;
	int r = allocate(&by_id, p->stacks.nodes.count, value.mean, &scratch);

	if (r == 0) {
		sum_samples(&by_id, p, value);
		put_in_order(w, &by_id, order);
	}
	arena_release(&scratch);
	return r;
}

int stack_weights_make(struct stack_weights *w, const struct profile *p,
		       const struct stack_order *order,
		       struct sample_value value, struct arena *arena)
{
	int r = allocate(w, p->stacks.nodes.count, value.mean, arena);

	if (r == 0 && order->node)
		r = sum_in_order(w, p, order, value);
	else if (r == 0)
		sum_samples(w, p, value);
	if (r == 0)
		sum_subtrees(w, order);
	return r;
}

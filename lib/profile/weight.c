/* SPDX-License-Identifier: MIT */
/* Sums of samples over the stack tree: see weight.h. */
#include "profile/weight.h"

#include <errno.h>

#include "profile/order.h"
#include "profile/profile.h"

static void sum_samples(struct stack_weights *w, const struct profile *p,
			struct sample_value value)
{
	for (uint32_t i = 0; i < p->sample_count; i++) {
		const int64_t *v = profile_values(p, i);
		stack_id id = p->stack[i];

		w->value[id] += (uint64_t)v[value.index];
		if (w->div)
			w->div[id] += (uint64_t)v[0];
		w->any[id] |= v[value.index] || (w->div && v[0]);
	}
}

/* Children stand behind their parents, so backwards they are complete. */
static void sum_subtrees(struct stack_weights *w, const struct stacktab *t,
			 const struct stack_order *order)
{
	for (uint32_t i = order->count; i-- > 1;) {
		stack_id id = order->node[i];
		stack_id parent = t->nodes.at[id].parent;

		w->value[parent] += w->value[id];
		w->any[parent] |= w->any[id];
		if (w->div)
			w->div[parent] += w->div[id];
	}
}

int stack_weights_make(struct stack_weights *w, const struct profile *p,
		       const struct stack_order *order,
		       struct sample_value value, struct arena *arena)
{
	uint32_t count = p->stacks.nodes.count;

	*w = (struct stack_weights){ 0 };
	w->value = ARENA_ARRAY(arena, uint64_t, count);
	w->any = ARENA_ARRAY(arena, bool, count);
	if (value.mean)
		w->div = ARENA_ARRAY(arena, uint64_t, count);
	if (!w->value || !w->any || (value.mean && !w->div))
		return -ENOMEM;

	sum_samples(w, p, value);
	sum_subtrees(w, &p->stacks, order);
	return 0;
}

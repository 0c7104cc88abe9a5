/* SPDX-License-Identifier: MIT */
/* See graph_walk.h. */
#include "profile/graph_walk.h"

#include <errno.h>

#include "base/workers.h"

int graph_walk_init(struct graph_walk *w, const struct graph_request *q,
		    struct arena *arena)
{
	*w = (struct graph_walk){ .q = q, .parts = workers_parts(q->workers) };
	return visits_make(&w->visits, q->nodes, q->profile->locations.count,
			   q->kept, arena);
}

int graph_walk_init_weighed(struct graph_walk *w, const struct graph_request *q,
			    struct arena *arena)
{
	int r = graph_walk_init(w, q, arena);

	return r < 0 ? r : graph_weights(&w->weights, q, arena);
}

static bool counts(const struct graph_walk *w, uint32_t position)
{
	return !w->weights.any || w->weights.any[position];
}

static struct weight weight_at(const struct graph_walk *w, uint32_t position)
{
	return w->weights.value ? stack_weight(&w->weights, position)
				: (struct weight){ 0 };
}

static int follow_path(const struct graph_walk *w, uint32_t position,
		       graph_enter *enter, void *part, struct arena *scratch)
{
	uint32_t *callers;
	int64_t count = order_callers(w->q->order, position, scratch, &callers);
	int r = count < 0 ? -ENOMEM : 0;

	for (int64_t i = 0; i < count && r == 0; i++)
		if (counts(w, callers[i]))
			r = enter(part, callers[i], ON_PATH,
				  (struct weight){ 0 });
	return r;
}

int graph_walk_part(const struct graph_walk *w, unsigned number,
		    graph_enter *enter, void *part, struct arena *scratch)
{
	const struct stack_order *o = w->q->order;
	uint32_t begin = order_part_start(o, number, w->parts);
	uint32_t end = order_part_start(o, number + 1, w->parts);
	int r = begin < end ? follow_path(w, begin, enter, part, scratch) : 0;

	for (uint32_t i = begin; i < end && r == 0; i++) {
		order_ask_ahead(o, &w->q->profile->stacks, i);
		if (!graph_may_go_on(w->q, i))
			return -ECANCELED;
		/* Where nothing counts nothing is entered, nor made. */
		if (counts(w, i))
			r = enter(part, i, graph_walk_mark(o, i),
				  weight_at(w, i));
	}
	return r;
}

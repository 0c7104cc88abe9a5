/* SPDX-License-Identifier: MIT */
/* See runbatch.h. */
#include "profile/runbatch.h"

#include "profile/graph_walk.h"

int runbatch_flush(struct runbatch *b)
{
	int r = b->take(b->context, b);

	b->run_count = 0;
	b->node_count = 0;
	return r;
}

/* Hands on what there is of a run that is not at its end. */
static int split(struct runbatch *b)
{
	struct run *last = &b->runs[b->run_count - 1];
	struct run rest = *last;
	int r;

	last->count = b->node_count - last->first;
	last->ends = false;
	r = runbatch_flush(b);
	rest.first = 0;
	rest.begins = false;
	b->runs[b->run_count++] = rest;
	return r;
}

/* Always inlined, because gcc drops calls of functions that do nothing but
 * prefetch. */
__attribute__((always_inline)) static inline void bring_near(
	const struct runbatch *b, node_id node)
{
	__builtin_prefetch(&b->near[node], 1);
}

static int put_list(struct runbatch *b, const uint32_t *list)
{
	int r = 0;

	for (uint32_t i = 1; i <= list[0] && r == 0; i++) {
		if (b->node_count == BATCH_NODES)
			r = split(b);
		bring_near(b, list[i]);
		b->nodes[b->node_count++] = list[i] | RUN_INLINED;
	}
	return r;
}

/* There is room for two. */
static inline void put_pair(struct runbatch *b, struct visit visit)
{
	uint32_t at = b->node_count;

	bring_near(b, visit.outer);
	bring_near(b, visit.inner);
	/* Put in any case, and counted if it is one: nothing to guess. */
	b->nodes[at] = visit.outer;
	b->nodes[at + 1] = visit.inner | RUN_INLINED;
	b->node_count = at + 1 + (visit.inner != 0);
}

static int put_frames(struct runbatch *b, const frame_id *frames,
		      uint32_t count)
{
	const struct visits *v = &b->walk->visits;
	int r = 0;

	for (uint32_t i = 0; i < count && r == 0; i++) {
		struct visit visit = v->at[frames[i]];
		uint32_t inner = visit.inner;

		if (b->node_count + 2 > BATCH_NODES)
			r = split(b);
		if (inner & VISIT_LIST)
			visit.inner = 0;
		put_pair(b, visit);
		if (inner & VISIT_LIST && r == 0)
			r = put_list(b, visit_list(v, inner));
	}
	return r;
}

/* There is one: no run is empty. */
static node_id last_node(const struct runbatch *b)
{
	return b->nodes[b->node_count - 1] & ~RUN_INLINED;
}

int runbatch_add(struct runbatch *b, uint32_t position, uint32_t mark,
		 struct weight sum)
{
	uint32_t length = b->walk->q->order->step[position].length;
	struct run *last;
	int r = b->run_count < BATCH_RUNS ? 0 : runbatch_flush(b);

	if (r < 0)
		return r;
	b->runs[b->run_count++] = (struct run){
		.position = position,
		.mark = mark,
		.sum = sum,
		.first = b->node_count,
		.begins = true,
		.ends = true,
	};
	r = put_frames(b, graph_walk_frames(b->walk, position), length);
	last = &b->runs[b->run_count - 1];
	last->count = b->node_count - last->first;
	if (b->ends_near)
		__builtin_prefetch(&b->ends_near[last_node(b)], 1);
	return r;
}

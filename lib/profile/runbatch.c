/* SPDX-License-Identifier: MIT */
/* See runbatch.h. */
#include "profile/runbatch.h"

#include "profile/graph_walk.h"

enum { AHEAD = 8 };

struct runbatch *runbatch_new(const struct graph_walk *walk, run_take *take,
			      void *context, struct arena *arena)
{
	struct runbatch *b = ARENA_NEW(arena, struct runbatch);

	if (!b)
		return NULL;
	b->walk = walk;
	b->take = take;
	b->context = context;
	/* What is near anyway, unless something else is wanted. */
	b->near = b->ends_near = (const char *)b;
	return b;
}

void runbatch_bring_near(struct runbatch *b, const void *array, size_t stride)
{
	b->near = array;
	b->stride = stride;
}

void runbatch_bring_ends_near(struct runbatch *b, const void *array,
			      size_t stride)
{
	b->ends_near = array;
	b->ends_stride = stride;
}

int runbatch_flush(struct runbatch *b)
{
	int r = 0;

	for (uint32_t i = 0; i < b->run_count && r == 0; i++)
		r = b->take(b->context, &b->runs[i],
			    b->nodes + b->runs[i].first);
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

static inline void put(struct runbatch *b, uint32_t node)
{
	__builtin_prefetch(b->near + (node & ~RUN_INLINED) * b->stride, 1);
	b->nodes[b->node_count++] = node;
}

/* The first in a list is the real function. */
static int put_list(struct runbatch *b, const uint32_t *list)
{
	int r = 0;

	for (uint32_t i = 1; i <= list[0] && r == 0; i++) {
		if (b->node_count == BATCH_NODES)
			r = split(b);
		put(b, i > 1 ? list[i] | RUN_INLINED : list[i]);
	}
	return r;
}

/* Soon the frame will be put: most wait for its list, if there is one. */
__attribute__((always_inline)) static inline void ask_ahead(
	const struct visits *v, frame_id frame)
{
	uint32_t word = v->word[frame];

	__builtin_prefetch(word & VISIT_LIST ? visit_list(v, word)
					     : &v->word[frame]);
}

static int put_frames(struct runbatch *b, const frame_id *frames,
		      uint32_t count)
{
	const struct visits *v = &b->walk->visits;
	int r = 0;

	for (uint32_t i = 0; i < AHEAD && i < count; i++)
		ask_ahead(v, frames[i]);
	for (uint32_t i = 0; i < count && r == 0; i++) {
		uint32_t word = v->word[frames[i]];

		if (i + AHEAD < count)
			ask_ahead(v, frames[i + AHEAD]);
		if (word & VISIT_LIST) {
			r = put_list(b, visit_list(v, word));
			continue;
		}
		if (b->node_count == BATCH_NODES)
			r = split(b);
		put(b, word);
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
	__builtin_prefetch(b->ends_near + last_node(b) * b->ends_stride, 1);
	return r;
}

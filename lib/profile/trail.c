/* SPDX-License-Identifier: MIT */
/*
 * Making a trail by a walk over the whole tree, in parts.  What number a part
 * gives an edge is its own; when all are done, the edges are put in the order
 * of a graph, and each part learns which of them it has.
 */
#include "profile/trail.h"

#include <errno.h>
#include <string.h>

#include "profile/edgepart.h"
#include "profile/edgewhole.h"
#include "profile/trail_index.h"

enum { STEPS_FOR_FRAME = 4 }; /* inlined functions are more steps */

struct maker {
	struct trail *t;
	struct graph_walk walk;
	struct edgepart part[WORKERS_MAX];
};

void trail_release(struct trail *t)
{
	for (unsigned i = 0; i < t->parts; i++)
		arena_release(&t->part[i].arena);
	arena_release(&t->arena);
	*t = (struct trail){ 0 };
}

static uint32_t most_steps(const struct graph_request *q)
{
	uint64_t most = (uint64_t)q->profile->stacks.frames.count *
			STEPS_FOR_FRAME;

	return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static int init(struct trail *t, const struct graph_request *q)
{
	unsigned parts = workers_parts(q->workers);

	*t = (struct trail){
		.node_count = q->nodes->info.count,
		.run_count = q->order->count,
		.parts = parts,
	};
	t->runs = ARENA_ARRAY(&t->arena, struct trail_run, t->run_count);
	for (unsigned i = 0; i < parts; i++) {
		struct trail_part *p = &t->part[i];

		p->begin = order_part_start(q->order, i, parts);
		p->end = order_part_start(q->order, i + 1, parts);
		p->most_steps = most_steps(q);
		(void)VEC_PUSH(&p->words, &p->arena);
		if (p->arena.failed)
			return -ENOMEM;
	}
	return t->runs ? 0 : -ENOMEM;
}

static int enter(void *part, uint32_t position, uint32_t mark,
		 struct weight sum)
{
	return edgewhole_enter(part, position, mark, sum);
}

static int walk_part(struct maker *m, unsigned number)
{
	struct edgepart *part = &m->part[number];
	struct edgewhole *whole;
	int r = edgepart_init(part, &m->walk, false,
			      graph_expected_edges(m->walk.q));

	if (r < 0)
		return r;
	whole = edgewhole_new(part);
	if (!whole)
		return -ENOMEM;
	edgewhole_record(whole, &m->t->part[number], m->t->runs);
	r = graph_walk_part(&m->walk, number, enter, whole, &part->scratch);
	return r < 0 ? r : edgewhole_finish(whole);
}

static void run_part(void *context, unsigned number)
{
	struct maker *m = context;

	m->t->part[number].result = walk_part(m, number);
	arena_release(&m->part[number].scratch);
}

static void forget_words(struct trail *t)
{
	for (unsigned i = 0; i < t->parts; i++) {
		struct trail_part *p = &t->part[i];

		p->edge_count = p->words.count;
		arena_free(&p->arena, p->words.at,
			   p->words.capacity * sizeof(*p->words.at));
		memset(&p->words, 0, sizeof(p->words));
	}
}

static int walk(struct maker *m, const struct graph_request *q)
{
	int r = 0;

	workers_run(q->workers, run_part, m);
	for (unsigned i = 0; i < m->t->parts && r == 0; i++)
		r = m->t->part[i].result;
	if (r == 0)
		r = trail_index(m->t, q->workers);
	if (r == 0)
		forget_words(m->t);
	return r;
}

int trail_make(struct trail *t, const struct graph_request *q)
{
	struct arena scratch = { 0 };
	struct maker m = { .t = t };
	int r = init(t, q);

	if (r == 0)
		r = graph_walk_init(&m.walk, q, &scratch);
	if (r == 0)
		r = walk(&m, q);
	arena_release(&scratch);
	if (r < 0)
		trail_release(t);
	return r;
}

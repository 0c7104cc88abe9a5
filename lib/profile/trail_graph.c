/* SPDX-License-Identifier: MIT */
/*
 * From a trail to a graph.  Each worker adds up what the runs of its parts
 * weigh; then edges are looked up in all parts, each worker having a share of
 * them.
 */
#include <errno.h>
#include <string.h>

#include "profile/edgetab.h"
#include "profile/graph_walk.h"
#include "profile/trail.h"

/* What is known of the calls by an edge. */
enum {
	SEEN = 1 << 0, /* there are some */
	REAL = 1 << 1, /* one was not inlined */
};

struct tally {
	uint64_t value;
	uint32_t calls;
};

/* Of one part of the trail. */
struct part {
	struct arena scratch;
	struct tally *edges; /* by the part's number; [0]: no calls */
	uint64_t *div;	     /* likewise; NULL unless a mean is wanted */
	struct sums flat;    /* by node */
	struct sums beside;
	int result;
	WORKERS_APART;
};

struct adder {
	const struct trail *t;
	const struct graph_request *q;
	struct stack_weights weights;
	unsigned workers;
	struct part part[WORKERS_MAX];
	uint32_t seen[WORKERS_MAX]; /* edges of each worker's share */
	struct graph_edge *list;
};

static inline void add_steps(struct part *p, const uint32_t *steps,
			     const uint32_t *end, struct weight sum)
{
	for (; steps < end; steps++) {
		struct tally *e = &p->edges[*steps & ~TRAIL_REAL];

		e->value += sum.value;
		e->calls |= SEEN | *steps >> 31 << 1;
		if (p->div)
			p->div[*steps & ~TRAIL_REAL] += sum.div;
	}
}

/* What a subtree spends is not spent at its caller's end. */
static void add_flat(struct part *p, const struct adder *a, uint32_t position,
		     struct weight sum)
{
	uint32_t parent = a->q->order->step[position].parent;

	sums_sub(&p->flat, a->t->runs[parent].last, sum);
	sums_add(&p->flat, a->t->runs[position].last, sum);
}

static int add_runs(struct part *p, const struct adder *a,
		    const struct trail_part *from)
{
	const uint32_t *steps = from->steps.at;
	uint32_t begin = 0;

	for (uint32_t i = from->begin; i < from->end; i++) {
		uint32_t end = a->t->runs[i].end;
		struct weight sum = stack_weight(&a->weights, i);

		if (!graph_may_go_on(a->q, i))
			return -ECANCELED;
		if (a->weights.any[i]) {
			add_steps(p, steps + begin, steps + end, sum);
			add_flat(p, a, i, sum);
		}
		begin = end;
	}
	return 0;
}

static void add_asides(struct part *p, const struct adder *a,
		       const struct trail_part *from)
{
	for (uint32_t i = 0; i < from->asides.count; i++) {
		struct trail_aside aside = from->asides.at[i];
		node_id node = aside.node & ~TRAIL_AGAIN;
		struct weight sum;

		if (!a->weights.any[aside.position])
			continue;
		sum = stack_weight(&a->weights, aside.position);
		if (aside.node & TRAIL_AGAIN)
			sums_sub(&p->beside, node, sum);
		else
			sums_add(&p->beside, node, sum);
	}
}

static int add_part(struct part *p, const struct adder *a,
		    const struct trail_part *from)
{
	struct arena *scratch = &p->scratch;
	bool mean = a->q->value.mean;

	*p = (struct part){ .scratch.huge_pages = true };
	p->edges = ARENA_ARRAY(scratch, struct tally, from->edge_count);
	if (mean)
		p->div = ARENA_ARRAY(scratch, uint64_t, from->edge_count);
	sums_init(&p->flat, a->t->node_count, mean, scratch);
	sums_init(&p->beside, a->t->node_count, mean, scratch);
	if (scratch->failed)
		return -ENOMEM;
	add_asides(p, a, from);
	return add_runs(p, a, from);
}

static void add_parts(void *context, unsigned worker)
{
	struct adder *a = context;

	for (unsigned i = worker; i < a->t->parts; i += a->workers)
		a->part[i].result = add_part(&a->part[i], a, &a->t->part[i]);
}

/* Where the share of a worker begins. */
static uint32_t share_start(const struct adder *a, unsigned worker)
{
	return (uint32_t)((uint64_t)a->t->edge_count * worker / a->workers);
}

/* What all parts know of an edge; false: no calls. */
static bool look_up(const struct adder *a, uint32_t edge,
		    struct graph_edge *ret)
{
	uint32_t calls = 0;

	*ret = (struct graph_edge){
		.from = edge_from(a->t->edges[edge]),
		.to = edge_to(a->t->edges[edge]),
	};
	for (unsigned i = 0; i < a->t->parts; i++) {
		uint32_t number = a->t->part[i].edges[edge];
		const struct part *p = &a->part[i];
		struct weight sum = { p->edges[number].value,
				      p->div ? p->div[number] : 0 };

		calls |= p->edges[number].calls;
		weight_add(&ret->weight, &ret->weight_div, sum);
	}
	ret->inlined = !(calls & REAL);
	return calls;
}

/* From where its share begins, as if all were seen. */
static void write_share(void *context, unsigned worker)
{
	struct adder *a = context;
	uint32_t begin = share_start(a, worker);
	uint32_t end = share_start(a, worker + 1);
	struct graph_edge *list = a->list + begin;
	struct graph_edge e;

	for (uint32_t i = begin; i < end; i++)
		if (look_up(a, i, &e))
			*list++ = e;
	a->seen[worker] = (uint32_t)(list - (a->list + begin));
}

static int give_edges(struct adder *a, struct graph *g, struct arena *arena)
{
	if (!VEC_RESERVE(&g->edges, arena, a->t->edge_count))
		return -ENOMEM;
	a->list = g->edges.at;
	workers_run(a->q->workers, write_share, a);
	for (unsigned i = 0; i < a->workers; i++) {
		uint32_t begin = share_start(a, i);

		if (begin != g->edges.count)
			memmove(a->list + g->edges.count, a->list + begin,
				a->seen[i] * sizeof(*a->list));
		g->edges.count += a->seen[i];
	}
	return 0;
}

static int give(struct adder *a, struct graph *g, struct arena *arena)
{
	int r = 0;

	for (unsigned i = 0; i < a->t->parts && r == 0; i++)
		r = a->part[i].result;
	if (r == 0)
		r = graph_init_nodes(g, a->t->node_count, arena);
	if (r == 0)
		r = give_edges(a, g, arena);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < a->t->parts; i++)
		graph_add_sums(g, &a->part[i].flat, &a->part[i].beside);
	graph_add_calls(g);
	return 0;
}

int trail_graph(struct graph *g, const struct trail *t,
		const struct graph_request *q, struct arena *arena)
{
	struct arena scratch = { 0 };
	struct adder a = {
		.t = t,
		.q = q,
		.workers = workers_parts(q->workers),
	};
	int r = graph_weights(&a.weights, q, &scratch);

	*g = (struct graph){ 0 };
	if (r == 0) {
		workers_run(q->workers, add_parts, &a);
		r = give(&a, g, arena);
		for (unsigned i = 0; i < t->parts; i++)
			arena_release(&a.part[i].scratch);
	}
	arena_release(&scratch);
	return r;
}

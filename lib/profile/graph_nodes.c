/* SPDX-License-Identifier: MIT */
/*
 * What each node of a call graph spends.  With the sums of all subtrees of the
 * stack tree at hand, one walk visits each run of frames once.  On the way down
 * a node is credited with the subtree's sum if it is not on the path yet, which
 * is how recursion counts only once.
 *
 * Most frames of a large profile are in runs that nothing continues.  What such
 * a run visits is marked with the run's number, which needs no undoing; only
 * runs with something below them are undone when they are left.  Numbers grow,
 * so a mark that is not below the present run's is of this run or of the path.
 *
 * What the parts of a walk found is added up.
 */
#include <errno.h>
#include <string.h>

#include "base/workers.h"
#include "profile/graph_walk.h"

/* The part of a node that is touched for every frame: small, to stay near. */
struct tally {
	uint32_t mark;
	uint32_t cum[2]; /* a uint64_t, which would cost four bytes more */
};

/* A run that others continue, as it was left. */
struct open_run {
	uint32_t position;
	uint32_t height; /* of undo */
	node_id end;	 /* where the stack spends its own */
};

struct part {
	const struct graph_walk *walk;
	struct arena scratch;
	int result;
	struct tally *tally;
	uint64_t *cum_div;	   /* by node; only for means */
	struct sums flat;	   /* by node */
	VEC(struct open_run) open; /* the path to the run being walked */
	VEC(node_id) undo;
	WORKERS_APART;
};

struct parts {
	struct graph_walk walk;
	struct part at[WORKERS_MAX];
};

static void add_to(struct tally *t, uint64_t value)
{
	uint64_t sum;

	__builtin_memcpy(&sum, t->cum, sizeof(sum));
	sum += value;
	__builtin_memcpy(t->cum, &sum, sizeof(sum));
}

static inline void credit(struct part *p, node_id node, uint32_t mark,
			  struct weight sum)
{
	struct tally *t = &p->tally[node];

	if (t->mark >= mark)
		return;
	t->mark = mark;
	add_to(t, sum.value);
	if (p->cum_div)
		p->cum_div[node] += sum.div;
	/* There is room: see reserve_undo(). */
	if (mark == ON_PATH)
		p->undo.at[p->undo.count++] = node;
}

static inline void visit_run(struct part *p, const frame_id *frames,
			     uint32_t count, uint32_t mark, struct weight sum)
{
	const struct visits *v = &p->walk->visits;

	for (uint32_t i = 0; i < count; i++) {
		struct visit visit = v->at[frames[i]];
		const uint32_t *list;

		/* Node 0 takes what nobody is shown. */
		credit(p, visit.outer, mark, sum);
		if (!(visit.inner & VISIT_LIST)) {
			credit(p, visit.inner, mark, sum);
			continue;
		}
		list = visit_list(v, visit.inner);
		for (uint32_t n = 1; n <= list[0]; n++)
			credit(p, list[n], mark, sum);
	}
}

/* Makes room for all nodes of a run. */
static bool reserve_undo(struct part *p, const frame_id *frames, uint32_t count)
{
	const struct visits *v = &p->walk->visits;
	size_t most = 2 * (size_t)count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t inner = v->at[frames[i]].inner;

		if (inner & VISIT_LIST)
			most += *visit_list(v, inner);
	}
	return VEC_RESERVE(&p->undo, &p->scratch, most);
}

static void undo_to(struct part *p, uint32_t height)
{
	while (p->undo.count > height)
		p->tally[p->undo.at[--p->undo.count]].mark = 0;
}

/* What a subtree spends is not spent at its caller's end. */
static void credit_flat(struct part *p, node_id from, node_id to,
			struct weight sum)
{
	sums_sub(&p->flat, from, sum);
	sums_add(&p->flat, to, sum);
}

/* Goes back on the path to the run that the next one continues. */
static struct open_run go_back(struct part *p, uint32_t position)
{
	while (p->open.at[p->open.count - 1].position != position)
		p->open.count--;
	return p->open.at[p->open.count - 1];
}

static int enter_run(void *part, uint32_t position, uint32_t mark,
		     struct weight sum)
{
	struct part *p = part;
	const struct stack_node *n = &p->walk->q->order->step[position];
	const frame_id *frames = graph_walk_frames(p->walk, position);
	node_id end = visit_innermost(&p->walk->visits, frames[n->length - 1]);
	struct open_run caller = go_back(p, n->parent);

	undo_to(p, caller.height);
	credit_flat(p, caller.end, end, sum);
	if (mark != ON_PATH) {
		visit_run(p, frames, n->length, mark, sum);
		return 0;
	}
	if (!reserve_undo(p, frames, n->length) ||
	    !VEC_RESERVE(&p->open, &p->scratch, 1))
		return -ENOMEM;
	visit_run(p, frames, n->length, ON_PATH, sum);
	p->open.at[p->open.count++] = (struct open_run){
		.position = position,
		.height = p->undo.count,
		.end = end,
	};
	return 0;
}

static int prepare(struct part *p)
{
	const struct graph_request *q = p->walk->q;
	uint32_t nodes = q->nodes->info.count;
	struct arena *scratch = &p->scratch;

	p->tally = ARENA_TABLE(scratch, struct tally, nodes);
	sums_init(&p->flat, nodes, q->value.mean, scratch);
	if (q->value.mean)
		p->cum_div = ARENA_ARRAY(scratch, uint64_t, nodes);
	(void)VEC_PUSH(&p->open, scratch); /* the empty stack */
	return scratch->failed ? -ENOMEM : 0;
}

static void run_part(void *context, unsigned number)
{
	struct parts *all = context;
	struct part *p = &all->at[number];

	*p = (struct part){ .walk = &all->walk };
	p->result = prepare(p);
	if (p->result == 0)
		p->result = graph_walk_part(p->walk, number, enter_run, p,
					    &p->scratch);
}

static void add_part(struct graph *g, const struct part *p)
{
	/* Node 0 took what nobody is shown. */
	for (node_id i = 1; i < g->nodes.count; i++) {
		struct graph_node *n = &g->nodes.at[i];
		struct weight cum = { 0 };

		__builtin_memcpy(&cum.value, p->tally[i].cum,
				 sizeof(cum.value));
		cum.div = p->cum_div ? p->cum_div[i] : 0;
		weight_add(&n->cum, &n->cum_div, cum);
		weight_add(&n->flat, &n->flat_div, sums_get(&p->flat, i));
	}
}

static int give(const struct parts *all, struct graph *g, struct arena *arena)
{
	int r = graph_init_nodes(g, all->walk.q->nodes->info.count, arena);

	for (unsigned i = 0; i < all->walk.parts && r == 0; i++) {
		if (all->at[i].result < 0)
			r = all->at[i].result;
		else
			add_part(g, &all->at[i]);
	}
	return r;
}

static int copy_nodes(struct graph *g, const struct graph *from,
		      struct arena *arena)
{
	uint32_t count = from->nodes.count;

	g->nodes.count = 0;
	if (!VEC_RESERVE(&g->nodes, arena, count))
		return -ENOMEM;
	g->nodes.count = count;
	memcpy(g->nodes.at, from->nodes.at, count * sizeof(*g->nodes.at));
	return 0;
}

int graph_add_nodes(struct graph *g, const struct graph_request *q,
		    struct arena *arena)
{
	struct arena scratch = { 0 };
	struct parts all;
	int r;

	if (q->known && !q->kept)
		return copy_nodes(g, q->known, arena);
	r = graph_walk_init_weighed(&all.walk, q, &scratch);
	if (r == 0) {
		workers_run(q->workers, run_part, &all);
		r = give(&all, g, arena);
		for (unsigned i = 0; i < all.walk.parts; i++)
			arena_release(&all.at[i].scratch);
	}
	arena_release(&scratch);
	return r;
}

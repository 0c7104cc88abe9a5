/* SPDX-License-Identifier: MIT */
/*
 * Who calls whom, by the same walk as in graph_nodes.c, kept by edge instead of
 * by node.
 *
 * What a node and its callees spend is then nearly known as well: all that
 * comes to it by edges, and what starts with it, less what comes to it by a
 * second edge while it is on the path already.  Who wants edges and nodes gets
 * them by one walk.
 *
 * Often few edges are wanted: those between the nodes that are shown, or of the
 * nodes that a person asks for.  Then one bit a location tells which frames can
 * matter, and the walk passes over the others without looking at what they are.
 *
 * Parts of the walk make edges of their own, which are then added up.
 */
#include <errno.h>
#include <string.h>

#include "base/workers.h"
#include "profile/edgelist.h"
#include "profile/edgetab.h"
#include "profile/graph_walk.h"
#include "profile/pathmarks.h"
#include "profile/runbatch.h"

/* The kept caller, as of the end of a frame. */
struct place {
	node_id node;
	bool residual; /* frames since then were passed over */
};

/* A run that others continue, as it was left. */
struct open_run {
	uint32_t position;
	uint32_t height; /* of the marks */
	struct place place;
};

enum { AT_ONCE = 256 };

struct part {
	const struct graph_walk *walk;
	const uint64_t *matters; /* a bit a location; NULL: all do */
	struct runbatch *batch;	 /* if nothing is left out; else NULL */
	struct arena scratch;
	int result;
	struct edgetab edges;
	struct pathmarks marks;
	VEC(struct open_run) open; /* the path to the run being walked */

	/* Of nodes, if they are wanted too: what they spend themselves, and
	 * how cum differs from what the edges to them add up to. */
	bool with_nodes;
	struct sums flat;
	struct sums beside;

	/* To be added to edges. */
	struct edge_visit *queue; /* AT_ONCE */
	uint32_t waiting;

	/* The run being walked. */
	struct weight sum;
	struct place at;
	uint32_t number; /* or ON_PATH */
};

struct parts {
	struct graph_walk walk;
	uint64_t *matters; /* as in each part */
	bool with_nodes;
	struct part at[WORKERS_MAX];
};

static bool has_too_many(const struct part *p)
{
	uint32_t most = p->walk->q->most_edges;

	return most && p->edges.count > most;
}

static bool settle(struct part *p)
{
	uint32_t count = p->waiting;

	p->waiting = 0;
	return edgetab_add(&p->edges, p->queue, count) && !has_too_many(p);
}

static inline bool add_to_edge(struct part *p, uint64_t edge)
{
	edgetab_ask_ahead(&p->edges, edge);
	p->queue[p->waiting++] = (struct edge_visit){ edge, p->sum };
	return p->waiting < AT_ONCE || settle(p);
}

/* Goes from one node to another; flags are those of the edge. */
static inline bool step(struct part *p, node_id from, node_id to,
			uint64_t flags)
{
	enum meeting met = pathmarks_meet(&p->marks, from, to, p->number);

	if (met == MET_BEFORE)
		return true;
	if (met == MET_NO_MEMORY)
		return false;
	if (p->with_nodes && !from)
		sums_add(&p->beside, to, p->sum);
	else if (p->with_nodes && met == MET_EDGE)
		sums_sub(&p->beside, to, p->sum);
	return !from || add_to_edge(p, edge_word(from, to) | flags);
}

static bool wants_edge(const struct part *p, node_id to)
{
	const bool *ends = p->walk->q->edge_ends;

	if (!p->at.node || p->at.node == to)
		return false;
	if (p->walk->q->edge_targets && !p->walk->q->edge_targets[to])
		return false;
	return !ends || ends[to] || ends[p->at.node];
}

static bool visit(struct part *p, node_id node, bool inlined)
{
	uint64_t flags = inlined ? 0 : EDGE_REAL;

	if (!node) {
		p->at.residual = true;
		return true;
	}
	if (p->at.residual)
		flags |= EDGE_RESIDUAL;
	if (wants_edge(p, node) && !step(p, p->at.node, node, flags))
		return false;
	p->at = (struct place){ .node = node };
	return true;
}

static bool visit_location(struct part *p, uint32_t word)
{
	const uint32_t *list;

	if (!(word & VISIT_LIST))
		return visit(p, word, false);
	list = visit_list(&p->walk->visits, word);
	for (uint32_t i = 1; i <= list[0]; i++)
		if (!visit(p, list[i], i > 1))
			return false;
	return true;
}

static bool frame_matters(const struct part *p, frame_id frame)
{
	return !p->matters || p->matters[frame / 64] >> (frame % 64) & 1;
}

/*
 * A frame matters to the one that it calls, too.  Of others it is enough to
 * know where the last of them leads: no edge between them is wanted.
 */
static bool visit_some(struct part *p, const frame_id *frames, uint32_t count)
{
	const uint32_t *word = p->walk->visits.word;
	bool called_by = true;

	for (uint32_t i = 0; i < count; i++) {
		bool matters = frame_matters(p, frames[i]);

		if (!matters && !called_by)
			continue;
		if (!called_by && !p->walk->q->kept)
			p->at = (struct place){ .node = visit_innermost(
							&p->walk->visits,
							word[frames[i - 1]]) };
		else if (!called_by)
			p->at.residual = true;
		if (!visit_location(p, word[frames[i]]))
			return false;
		called_by = matters;
	}
	if (called_by)
		return true;
	if (p->walk->q->kept)
		p->at.residual = true;
	else
		p->at = (struct place){ .node = visit_innermost(
						&p->walk->visits,
						word[frames[count - 1]]) };
	return true;
}

/* Goes back on the path to the run that the next one continues. */
static struct open_run go_back(struct part *p, uint32_t position)
{
	while (p->open.at[p->open.count - 1].position != position)
		p->open.count--;
	return p->open.at[p->open.count - 1];
}

/* What a subtree spends is not spent at its caller's end, but at its own. */
static void move_flat(struct part *p, node_id node, bool here)
{
	if (p->with_nodes && here)
		sums_add(&p->flat, node, p->sum);
	else if (p->with_nodes)
		sums_sub(&p->flat, node, p->sum);
}

static void begin_run(struct part *p, uint32_t position, uint32_t mark,
		      struct weight sum)
{
	struct open_run caller = go_back(
		p, p->walk->q->order->step[position].parent);

	pathmarks_undo(&p->marks, caller.height);
	p->number = mark;
	p->sum = sum;
	p->at = caller.place;
}

static int end_run(struct part *p, uint32_t position)
{
	if (p->number != ON_PATH)
		return 0;
	if (!VEC_RESERVE(&p->open, &p->scratch, 1))
		return -ENOMEM;
	p->open.at[p->open.count++] = (struct open_run){
		.position = position,
		.height = p->marks.undo.count,
		.place = p->at,
	};
	return 0;
}

/* When all nodes and edges count. */
static int take_run(void *part, const struct run *run, const uint32_t *nodes)
{
	struct part *p = part;
	node_id at;

	if (run->begins) {
		begin_run(p, run->position, run->mark, run->sum);
		move_flat(p, p->at.node, false);
	}
	at = p->at.node;
	for (uint32_t i = 0; i < run->count; i++) {
		node_id node = nodes[i] & ~RUN_INLINED;

		if (!step(p, at, node, nodes[i] == node ? EDGE_REAL : 0))
			return -ENOMEM;
		at = node;
	}
	p->at.node = at;
	if (!run->ends)
		return 0;
	move_flat(p, at, true);
	return end_run(p, run->position);
}

static int enter_all(void *part, uint32_t position, uint32_t mark,
		     struct weight sum)
{
	struct part *p = part;

	return runbatch_add(p->batch, position, mark, sum);
}

static int enter_some(void *part, uint32_t position, uint32_t mark,
		      struct weight sum)
{
	struct part *p = part;
	const struct stack_node *n = &p->walk->q->order->step[position];

	begin_run(p, position, mark, sum);
	if (!visit_some(p, graph_walk_frames(p->walk, position), n->length))
		return -ENOMEM;
	return end_run(p, position);
}

/* Whether location l has a node from which or to which edges may be wanted. */
static bool may_matter(const struct graph_request *q, location_id l)
{
	const bool *wanted = q->kept ? q->kept : q->edge_ends;

	for (uint32_t i = q->nodes->first[l]; i < q->nodes->first[l + 1]; i++)
		if (wanted[q->nodes->ids.at[i]])
			return true;
	return false;
}

static int find_what_matters(struct parts *all, struct arena *arena)
{
	const struct graph_request *q = all->walk.q;
	uint32_t locations = q->profile->locations.count;

	all->matters = NULL;
	if (!q->kept && !q->edge_ends)
		return 0;
	all->matters = ARENA_ARRAY(arena, uint64_t, locations / 64 + 1);
	if (!all->matters)
		return -ENOMEM;
	for (location_id l = 1; l < locations; l++)
		if (may_matter(q, l))
			all->matters[l / 64] |= (uint64_t)1 << (l % 64);
	return 0;
}

/* Runs come in batches if nothing of them is left out. */
static void prepare_batch(struct part *p)
{
	const struct graph_request *q = p->walk->q;

	if (q->kept || q->edge_ends || q->edge_targets)
		return;
	p->batch = runbatch_new(p->walk, take_run, p, &p->scratch);
	if (!p->batch)
		return;
	runbatch_bring_near(p->batch, p->marks.nodes, sizeof(*p->marks.nodes));
	if (p->with_nodes)
		runbatch_bring_ends_near(p->batch, p->flat.value,
					 sizeof(*p->flat.value));
}

static int prepare(struct part *p)
{
	struct arena *scratch = &p->scratch;
	const struct graph_request *q = p->walk->q;
	uint32_t nodes = q->nodes->info.count;

	edgetab_init(&p->edges, q->value.mean, scratch);
	pathmarks_init(&p->marks, nodes, scratch);
	p->queue = ARENA_ARRAY(scratch, struct edge_visit, AT_ONCE);
	if (p->with_nodes) {
		sums_init(&p->flat, nodes, q->value.mean, scratch);
		sums_init(&p->beside, nodes, q->value.mean, scratch);
	}
	prepare_batch(p);
	(void)VEC_PUSH(&p->open, scratch); /* the empty stack */
	return scratch->failed ? -ENOMEM : 0;
}

static void run_part(void *context, unsigned number)
{
	struct parts *all = context;
	struct part *p = &all->at[number];

	*p = (struct part){
		.walk = &all->walk,
		.matters = all->matters,
		.with_nodes = all->with_nodes,
	};
	p->result = prepare(p);
	if (p->result == 0)
		p->result = graph_walk_part(p->walk, number,
					    p->batch ? enter_all : enter_some,
					    p, &p->scratch);
	if (p->result == 0 && p->batch)
		p->result = runbatch_flush(p->batch);
	if (p->result == 0 && !settle(p))
		p->result = -ENOMEM;
	if (has_too_many(p))
		p->result = -E2BIG;
}

static void add_part(struct graph *g, const struct part *p)
{
	/* Node 0 is nobody's. */
	for (node_id i = 1; i < g->nodes.count; i++) {
		struct graph_node *n = &g->nodes.at[i];

		weight_add(&n->flat, &n->flat_div, sums_get(&p->flat, i));
		weight_add(&n->cum, &n->cum_div, sums_get(&p->beside, i));
	}
}

/* After the edges. */
static int give_nodes(struct parts *all, struct graph *g, struct arena *arena)
{
	int r = graph_init_nodes(g, all->walk.q->nodes->info.count, arena);

	for (unsigned i = 0; i < all->walk.parts && r == 0; i++)
		add_part(g, &all->at[i]);
	for (uint32_t i = 0; i < g->edges.count && r == 0; i++) {
		const struct graph_edge *e = &g->edges.at[i];
		struct graph_node *to = &g->nodes.at[e->to];
		struct weight sum = { (uint64_t)e->weight,
				      (uint64_t)e->weight_div };

		weight_add(&to->cum, &to->cum_div, sum);
	}
	return r;
}

static int give(struct parts *all, struct graph *g, struct arena *arena)
{
	struct part *first = &all->at[0];
	int r = first->result;

	for (unsigned i = 1; i < all->walk.parts && r == 0; i++) {
		r = all->at[i].result;
		if (r == 0 && !edgetab_join(&first->edges, &all->at[i].edges))
			r = -ENOMEM;
	}
	if (r == 0)
		r = edgelist_make(g, &first->edges,
				  all->walk.q->nodes->info.count, arena);
	if (r == 0 && all->with_nodes)
		r = give_nodes(all, g, arena);
	return r;
}

static int walk(struct graph *g, const struct graph_request *q, bool with_nodes,
		struct arena *arena)
{
	struct arena scratch = { 0 };
	struct parts all = { .with_nodes = with_nodes };
	int r = graph_walk_init(&all.walk, q, &scratch);

	if (r == 0)
		r = find_what_matters(&all, &scratch);
	if (r == 0) {
		workers_run(q->workers, run_part, &all);
		r = give(&all, g, arena);
		for (unsigned i = 0; i < all.walk.parts; i++)
			arena_release(&all.at[i].scratch);
	}
	arena_release(&scratch);
	return r;
}

static int copy_edges(struct graph *g, const struct graph *from,
		      struct arena *arena)
{
	uint32_t count = from->edges.count;

	g->edges.count = 0;
	if (!VEC_RESERVE(&g->edges, arena, count))
		return -ENOMEM;
	g->edges.count = count;
	memcpy(g->edges.at, from->edges.at, count * sizeof(*g->edges.at));
	return 0;
}

int graph_add_edges(struct graph *g, const struct graph_request *q,
		    struct arena *arena)
{
	if (q->known && q->known->edges.count && !q->kept && !q->edge_ends &&
	    !q->edge_targets)
		return copy_edges(g, q->known, arena);
	return walk(g, q, false, arena);
}

int graph_make(struct graph *g, const struct graph_request *q,
	       struct arena *arena)
{
	int r;

	*g = (struct graph){ 0 };
	if (!q->kept && !q->edge_ends && !q->edge_targets && !q->known)
		return walk(g, q, true, arena);
	r = graph_add_nodes(g, q, arena);
	return r < 0 ? r : graph_add_edges(g, q, arena);
}

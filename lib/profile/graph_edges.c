/* SPDX-License-Identifier: MIT */
/*
 * Who calls whom, by the same walk and the same marks as graph_nodes.c, kept
 * by edge instead of by node.
 *
 * Often few edges are wanted: those between the nodes that are shown, or of the
 * nodes that a person asks for.  Then one bit a location tells which frames can
 * matter, and the walk passes over the others without looking at what they are.
 *
 * Parts of the walk make edges of their own.  Joined in the order of the parts,
 * they come out as if one walk had made them.
 */
#include <errno.h>

#include "base/workers.h"
#include "profile/edgetab.h"
#include "profile/graph_walk.h"

/* The kept caller, as of the end of a frame. */
struct place {
	node_id node;
	bool residual; /* frames since then were passed over */
};

/* A run that others continue, as it was left. */
struct open_run {
	uint32_t position;
	uint32_t height; /* of undo */
	struct place place;
};

struct part {
	const struct graph_walk *walk;
	const uint64_t *matters; /* a bit a location; NULL: all do */
	struct arena scratch;
	int result;
	struct edgetab edges;

	VEC(struct open_run) open; /* the path to the run being walked */
	VEC(uint32_t) undo;	   /* numbers of edges */

	/* The run being walked. */
	struct weight sum;
	struct place at;
	uint32_t number; /* or ON_PATH */
};

struct parts {
	struct graph_walk walk;
	uint64_t *matters; /* as in each part */
	struct part at[WORKERS_MAX];
};

static void add_to_edge(struct edge_slot *e, struct weight sum, bool residual,
			bool inlined)
{
	e->sum.value += sum.value;
	e->sum.div += sum.div;
	/* Most stay as they are, and then need no writing. */
	if (residual)
		e->residual = true;
	if (!inlined)
		e->inlined = false;
}

static bool credit_edge(struct part *p, node_id to, bool inlined)
{
	struct edge_slot *e = edgetab_get(&p->edges, p->at.node, to,
					  &p->scratch);

	if (!e)
		return false;
	if (e->mark >= p->number)
		return true;
	e->mark = p->number;
	add_to_edge(e, p->sum, p->at.residual, inlined);
	if (p->number != ON_PATH)
		return true;
	if (!VEC_RESERVE(&p->undo, &p->scratch, 1))
		return false;
	p->undo.at[p->undo.count++] = e->number;
	return true;
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
	if (!node) {
		p->at.residual = true;
		return true;
	}
	if (wants_edge(p, node) && !credit_edge(p, node, inlined))
		return false;
	p->at = (struct place){ .node = node };
	return true;
}

static bool visit_location(struct part *p, uint32_t word)
{
	const uint32_t *list;

	if (!(word & VISIT_LIST))
		return visit(p, word, false);
	/* The first in the list is the real function. */
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

enum { ASK_AHEAD = 12 };

/* Soon the walk will step to callee from the frame before it. */
__attribute__((always_inline)) static inline void ask_ahead(
	const struct part *p, const frame_id *callee)
{
	const struct visits *v = &p->walk->visits;
	uint32_t from = v->word[callee[-1]], to = v->word[callee[0]];

	edgetab_ask_ahead(&p->edges, visit_innermost(v, from),
			  to & VISIT_LIST ? visit_list(v, to)[1] : to);
	if (to & VISIT_LIST)
		edgetab_ask_ahead(&p->edges, visit_list(v, to)[1],
				  visit_list(v, to)[2]);
}

/*
 * A frame matters to the one that it calls, too.  Of others it is enough to
 * know where the last of them leads: no edge between them is wanted.
 */
static bool visit_run(struct part *p, const frame_id *frames, uint32_t count)
{
	const uint32_t *word = p->walk->visits.word;
	bool called_by = true;

	for (uint32_t i = 1; !p->matters && i < ASK_AHEAD && i < count; i++)
		ask_ahead(p, &frames[i]);
	for (uint32_t i = 0; i < count; i++) {
		bool matters = frame_matters(p, frames[i]);

		if (!p->matters && i + ASK_AHEAD < count)
			ask_ahead(p, &frames[i + ASK_AHEAD]);

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

static void undo_to(struct part *p, uint32_t height)
{
	while (p->undo.count > height)
		edgetab_at(&p->edges, p->undo.at[--p->undo.count])->mark = 0;
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
	struct open_run caller = go_back(p, n->parent);

	undo_to(p, caller.height);
	p->number = mark;
	p->sum = sum;
	p->at = caller.place;
	if (!visit_run(p, graph_walk_frames(p->walk, position), n->length))
		return -ENOMEM;
	if (mark != ON_PATH)
		return 0;
	if (!VEC_RESERVE(&p->open, &p->scratch, 1))
		return -ENOMEM;
	p->open.at[p->open.count++] = (struct open_run){
		.position = position,
		.height = p->undo.count,
		.place = p->at,
	};
	return 0;
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

static int prepare(struct part *p)
{
	struct arena *scratch = &p->scratch;

	edgetab_init(&p->edges, scratch);
	(void)VEC_PUSH(&p->open, scratch); /* the empty stack */
	return scratch->failed ? -ENOMEM : 0;
}

static void run_part(void *context, unsigned number)
{
	struct parts *all = context;
	struct part *p = &all->at[number];

	*p = (struct part){ .walk = &all->walk, .matters = all->matters };
	p->result = prepare(p);
	if (p->result == 0)
		p->result = graph_walk_part(p->walk, number, enter_run, p,
					    &p->scratch);
}

/* Adds the edges of a later part to those of the first. */
static int join(struct part *first, const struct part *later)
{
	for (uint32_t i = 0; i < later->edges.slot_of.count; i++) {
		const struct edge_slot *e = edgetab_at(&later->edges, i);
		struct edge_slot *to = edgetab_get(&first->edges, e->from,
						   e->to, &first->scratch);

		if (!to)
			return -ENOMEM;
		add_to_edge(to, e->sum, e->residual, e->inlined);
	}
	return 0;
}

static struct graph_edge finished_edge(const struct edge_slot *e)
{
	return (struct graph_edge){
		.from = e->from,
		.to = e->to,
		.weight = (int64_t)e->sum.value,
		.weight_div = (int64_t)e->sum.div,
		.residual = e->residual,
		.inlined = e->inlined,
	};
}

static int give(struct parts *all, struct graph *g, struct arena *arena)
{
	struct part *first = &all->at[0];
	int r = first->result;

	for (unsigned i = 1; i < all->walk.parts && r == 0; i++) {
		r = all->at[i].result;
		if (r == 0)
			r = join(first, &all->at[i]);
	}
	g->edges.count = 0;
	if (r < 0 || !VEC_RESERVE(&g->edges, arena, first->edges.slot_of.count))
		return -ENOMEM;
	for (uint32_t i = 0; i < first->edges.slot_of.count; i++)
		g->edges.at[g->edges.count++] = finished_edge(
			edgetab_at(&first->edges, i));
	return 0;
}

int graph_add_edges(struct graph *g, const struct graph_request *q,
		    struct arena *arena)
{
	struct arena scratch = { 0 };
	struct parts all;
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

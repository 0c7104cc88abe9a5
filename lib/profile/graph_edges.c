/* SPDX-License-Identifier: MIT */
/*
 * Who calls whom, by the same walk and the same marks as graph_nodes.c, kept
 * by edge instead of by node.
 *
 * Often few edges are wanted: those between the nodes that are shown, or of the
 * nodes that a person asks for.  Then one bit a location tells which frames can
 * matter, and the walk passes over the others without looking at what they are.
 */
#include <errno.h>

#include "base/hash.h"
#include "profile/graph.h"
#include "profile/order.h"
#include "profile/visits.h"

/* The mark of edges on the path from the root. */
#define ON_PATH UINT32_MAX

/* The kept caller, as of the end of a frame. */
struct place {
	node_id node;
	bool residual; /* frames since then were passed over */
};

/* The last edge that led to a node: mostly the next one that does. */
struct last_edge {
	node_id from;
	uint32_t id; /* index + 1 */
};

struct walk {
	const struct graph_request *q;
	struct graph *g;
	struct arena *arena;   /* for the graph */
	struct arena *scratch; /* for everything else */
	struct stack_weights weights;
	struct visits visits;
	uint64_t *matters;	/* a bit a location; NULL: all do */
	struct last_edge *last; /* by node */
	VEC(uint32_t) mark;	/* by edge */
	struct table index;

	struct place *place; /* by position of a stack */
	uint32_t *height;    /* by position: of undo when the run was left */
	VEC(uint32_t) undo;  /* edges */

	/* The run being walked. */
	struct weight sum;
	struct place at;
	uint32_t number; /* or ON_PATH */
};

static uint32_t find_edge(const struct walk *w, uint32_t hash, uint32_t from,
			  uint32_t to)
{
	uint32_t i = table_start(&w->index, hash);
	uint32_t id;

	for (; (id = table_id(&w->index, i, hash)) != TABLE_END;
	     i = table_next(&w->index, i)) {
		if (!id)
			continue;
		if (w->g->edges.at[id - 1].from == from &&
		    w->g->edges.at[id - 1].to == to)
			return id;
	}
	return 0;
}

static uint32_t add_edge(struct walk *w, uint32_t hash, uint32_t from,
			 uint32_t to)
{
	uint32_t *mark = VEC_PUSH(&w->mark, w->scratch);
	struct graph_edge *e = VEC_PUSH(&w->g->edges, w->arena);

	if (!e || !mark ||
	    !table_add(&w->index, w->scratch, hash, w->g->edges.count))
		return 0;
	*e = (struct graph_edge){ .from = from, .to = to, .inlined = true };
	*mark = 0;
	return w->g->edges.count;
}

/* Returns the edge's index + 1, making it if need be; 0: out of memory. */
static uint32_t get_edge(struct walk *w, uint32_t from, uint32_t to)
{
	struct last_edge *last = &w->last[to];
	uint32_t hash, id;

	if (last->from == from)
		return last->id;
	hash = hash_pair(from, to);
	id = find_edge(w, hash, from, to);
	if (!id)
		id = add_edge(w, hash, from, to);
	*last = (struct last_edge){ id ? from : 0, id };
	return id;
}

static bool credit_edge(struct walk *w, node_id to, bool inlined)
{
	uint32_t id = get_edge(w, w->at.node, to);
	struct graph_edge *e;

	if (!id)
		return false;
	if (w->mark.at[id - 1] >= w->number)
		return true;
	w->mark.at[id - 1] = w->number;
	e = &w->g->edges.at[id - 1];
	weight_add(&e->weight, &e->weight_div, w->sum);
	e->residual |= w->at.residual;
	e->inlined &= inlined;
	if (w->number != ON_PATH)
		return true;
	if (!VEC_RESERVE(&w->undo, w->scratch, 1))
		return false;
	w->undo.at[w->undo.count++] = id - 1;
	return true;
}

static bool wants_edge(const struct walk *w, node_id to)
{
	const bool *ends = w->q->edge_ends;

	if (!w->at.node || w->at.node == to)
		return false;
	if (w->q->edge_targets && !w->q->edge_targets[to])
		return false;
	return !ends || ends[to] || ends[w->at.node];
}

static bool visit(struct walk *w, node_id node, bool inlined)
{
	if (!node) {
		w->at.residual = true;
		return true;
	}
	if (wants_edge(w, node) && !credit_edge(w, node, inlined))
		return false;
	w->at = (struct place){ .node = node };
	return true;
}

static bool visit_location(struct walk *w, uint32_t word)
{
	const uint32_t *list;

	if (!(word & VISIT_LIST))
		return visit(w, word, false);
	/* The first in the list is the real function. */
	list = visit_list(&w->visits, word);
	for (uint32_t i = 1; i <= list[0]; i++)
		if (!visit(w, list[i], i > 1))
			return false;
	return true;
}

static bool frame_matters(const struct walk *w, frame_id frame)
{
	return !w->matters || w->matters[frame / 64] >> (frame % 64) & 1;
}

/*
 * A frame matters to the one that it calls, too.  Of others it is enough to
 * know where the last of them leads: no edge between them is wanted.
 */
static bool visit_run(struct walk *w, const frame_id *frames, uint32_t count)
{
	const uint32_t *word = w->visits.word;
	bool called_by = true;

	for (uint32_t i = 0; i < count; i++) {
		bool matters = frame_matters(w, frames[i]);

		if (!matters && !called_by)
			continue;
		if (!called_by && !w->q->kept)
			w->at = (struct place){ .node = visit_innermost(
							&w->visits,
							word[frames[i - 1]]) };
		else if (!called_by)
			w->at.residual = true;
		if (!visit_location(w, word[frames[i]]))
			return false;
		called_by = matters;
	}
	if (called_by)
		return true;
	if (w->q->kept)
		w->at.residual = true;
	else
		w->at = (struct place){ .node = visit_innermost(
						&w->visits,
						word[frames[count - 1]]) };
	return true;
}

static void undo_to(struct walk *w, uint32_t height)
{
	while (w->undo.count > height)
		w->mark.at[w->undo.at[--w->undo.count]] = 0;
}

static int walk_tree(struct walk *w)
{
	const struct stack_order *o = w->q->order;

	for (uint32_t i = 1; i < o->count; i++) {
		const struct stack_node *n = &o->step[i];
		bool last = i + 1 == o->count || o->step[i + 1].parent != i;

		order_ask_ahead(o, &w->q->profile->stacks, i);
		/* Where nothing counts nothing is entered, nor made. */
		if (!w->weights.any[i])
			continue;
		undo_to(w, w->height[n->parent]);
		w->number = last ? i : ON_PATH;
		w->sum = stack_weight(&w->weights, i);
		w->at = w->place[n->parent];
		if (!visit_run(w, w->q->profile->stacks.frames.at + n->first,
			       n->length))
			return -ENOMEM;
		if (last)
			continue;
		w->place[i] = w->at;
		w->height[i] = w->undo.count;
	}
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

static int find_what_matters(struct walk *w)
{
	uint32_t locations = w->q->profile->locations.count;

	if (!w->q->kept && !w->q->edge_ends)
		return 0;
	w->matters = ARENA_ARRAY(w->scratch, uint64_t, locations / 64 + 1);
	if (!w->matters)
		return -ENOMEM;
	for (location_id l = 1; l < locations; l++)
		if (may_matter(w->q, l))
			w->matters[l / 64] |= (uint64_t)1 << (l % 64);
	return 0;
}

static int prepare(struct walk *w)
{
	const struct graph_request *q = w->q;
	uint32_t stacks = q->order->count;

	w->last = ARENA_ARRAY(w->scratch, struct last_edge,
			      q->nodes->info.count);
	w->place = ARENA_ARRAY(w->scratch, struct place, stacks);
	w->height = ARENA_ARRAY(w->scratch, uint32_t, stacks);
	if (w->scratch->failed || find_what_matters(w) < 0)
		return -ENOMEM;
	return visits_make(&w->visits, q->nodes, q->profile->locations.count,
			   q->kept, w->scratch);
}

int graph_add_edges(struct graph *g, const struct graph_request *q,
		    struct arena *arena)
{
	struct arena scratch = { 0 };
	struct walk w = { .q = q, .g = g, .arena = arena, .scratch = &scratch };
	int r = prepare(&w);

	g->edges.count = 0;
	if (r == 0)
		r = graph_weights(&w.weights, q, &scratch);
	if (r == 0)
		r = walk_tree(&w);
	arena_release(&scratch);
	return r;
}

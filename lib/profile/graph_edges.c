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

#include "base/hash.h"
#include "base/workers.h"
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

/* What all parts share. */
struct shared {
	const struct graph_request *q;
	struct stack_weights weights;
	struct visits visits;
	uint64_t *matters; /* a bit a location; NULL: all do */
	struct walk *parts;
	unsigned part_count;
};

struct walk {
	const struct graph_request *q;
	struct arena scratch;
	struct stack_weights weights;
	struct visits visits;
	const uint64_t *matters;
	int result;
	VEC(struct graph_edge) edges;
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
		if (w->edges.at[id - 1].from == from &&
		    w->edges.at[id - 1].to == to)
			return id;
	}
	return 0;
}

static uint32_t add_edge(struct walk *w, uint32_t hash, uint32_t from,
			 uint32_t to)
{
	uint32_t *mark = VEC_PUSH(&w->mark, &w->scratch);
	struct graph_edge *e = VEC_PUSH(&w->edges, &w->scratch);

	if (!e || !mark ||
	    !table_add(&w->index, &w->scratch, hash, w->edges.count))
		return 0;
	*e = (struct graph_edge){ .from = from, .to = to, .inlined = true };
	*mark = 0;
	return w->edges.count;
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
	e = &w->edges.at[id - 1];
	weight_add(&e->weight, &e->weight_div, w->sum);
	e->residual |= w->at.residual;
	e->inlined &= inlined;
	if (w->number != ON_PATH)
		return true;
	if (!VEC_RESERVE(&w->undo, &w->scratch, 1))
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

/* Walks the run at a position; others that continue it undo it. */
static int enter_run(struct walk *w, uint32_t position, uint32_t number,
		     struct weight sum)
{
	const struct stack_node *n = &w->q->order->step[position];

	undo_to(w, w->height[n->parent]);
	w->number = number;
	w->sum = sum;
	w->at = w->place[n->parent];
	if (!visit_run(w, w->q->profile->stacks.frames.at + n->first,
		       n->length))
		return -ENOMEM;
	if (number == ON_PATH) {
		w->place[position] = w->at;
		w->height[position] = w->undo.count;
	}
	return 0;
}

/* Marks the path to a position, whose runs are credited elsewhere. */
static int follow_path(struct walk *w, uint32_t position)
{
	uint32_t *callers;
	int64_t count = order_callers(w->q->order, position, &w->scratch,
				      &callers);
	int r = count < 0 ? -ENOMEM : 0;

	for (int64_t i = 0; i < count && r == 0; i++)
		if (w->weights.any[callers[i]])
			r = enter_run(w, callers[i], ON_PATH,
				      (struct weight){ 0 });
	return r;
}

static int walk_part(struct walk *w, uint32_t begin, uint32_t end)
{
	const struct stack_order *o = w->q->order;
	int r = begin < end ? follow_path(w, begin) : 0;

	for (uint32_t i = begin; i < end && r == 0; i++) {
		bool last = i + 1 == o->count || o->step[i + 1].parent != i;

		order_ask_ahead(o, &w->q->profile->stacks, i);
		/* Where nothing counts nothing is entered, nor made. */
		if (w->weights.any[i])
			r = enter_run(w, i, last ? i : ON_PATH,
				      stack_weight(&w->weights, i));
	}
	return r;
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

static int find_what_matters(struct shared *s, struct arena *arena)
{
	const struct graph_request *q = s->q;
	uint32_t locations = q->profile->locations.count;

	if (!q->kept && !q->edge_ends)
		return 0;
	s->matters = ARENA_ARRAY(arena, uint64_t, locations / 64 + 1);
	if (!s->matters)
		return -ENOMEM;
	for (location_id l = 1; l < locations; l++)
		if (may_matter(q, l))
			s->matters[l / 64] |= (uint64_t)1 << (l % 64);
	return 0;
}

static int prepare(struct walk *w)
{
	uint32_t stacks = w->q->order->count;
	struct arena *scratch = &w->scratch;

	w->last = ARENA_ARRAY(scratch, struct last_edge,
			      w->q->nodes->info.count);
	w->place = ARENA_ARRAY(scratch, struct place, stacks);
	w->height = ARENA_ARRAY(scratch, uint32_t, stacks);
	return scratch->failed ? -ENOMEM : 0;
}

static void run_part(void *context, unsigned number)
{
	struct shared *s = context;
	struct walk *w = &s->parts[number];
	uint32_t count = s->q->order->count;

	*w = (struct walk){ .q = s->q,
			    .weights = s->weights,
			    .visits = s->visits,
			    .matters = s->matters };
	w->result = prepare(w);
	if (w->result == 0)
		w->result = walk_part(
			w, graph_part_start(count, number, s->part_count),
			graph_part_start(count, number + 1, s->part_count));
}

/* Adds the edges of a later part to those of the first. */
static int join(struct walk *first, const struct walk *later)
{
	for (uint32_t i = 0; i < later->edges.count; i++) {
		const struct graph_edge *e = &later->edges.at[i];
		const struct weight sum = { (uint64_t)e->weight,
					    (uint64_t)e->weight_div };
		uint32_t id = get_edge(first, e->from, e->to);
		struct graph_edge *to;

		if (!id)
			return -ENOMEM;
		to = &first->edges.at[id - 1];
		weight_add(&to->weight, &to->weight_div, sum);
		to->residual |= e->residual;
		to->inlined &= e->inlined;
	}
	return 0;
}

static int give(const struct shared *s, struct graph *g, struct arena *arena)
{
	struct walk *first = &s->parts[0];
	int r = first->result;

	for (unsigned i = 1; i < s->part_count && r == 0; i++) {
		r = s->parts[i].result;
		if (r == 0)
			r = join(first, &s->parts[i]);
	}
	g->edges.count = 0;
	if (r < 0 || !VEC_RESERVE(&g->edges, arena, first->edges.count))
		return -ENOMEM;
	for (uint32_t i = 0; i < first->edges.count; i++)
		g->edges.at[g->edges.count++] = first->edges.at[i];
	return 0;
}

int graph_add_edges(struct graph *g, const struct graph_request *q,
		    struct arena *arena)
{
	struct arena scratch = { 0 };
	struct walk parts[WORKERS_MAX];
	struct shared s = { .q = q,
			    .parts = parts,
			    .part_count = workers_parts(q->workers) };
	int r = visits_make(&s.visits, q->nodes, q->profile->locations.count,
			    q->kept, &scratch);

	if (r == 0)
		r = find_what_matters(&s, &scratch);
	if (r == 0)
		r = graph_weights(&s.weights, q, &scratch);
	if (r == 0) {
		workers_run(q->workers, run_part, &s);
		r = give(&s, g, arena);
		for (unsigned i = 0; i < s.part_count; i++)
			arena_release(&parts[i].scratch);
	}
	arena_release(&scratch);
	return r;
}

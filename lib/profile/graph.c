/* SPDX-License-Identifier: MIT */
/*
 * Samples into a call graph.  With the sums of all subtrees of the stack tree
 * at hand, one walk visits each run of frames once.  On the way down a node or
 * an edge is credited with the subtree's sum if it is not on the path yet,
 * which is how recursion counts only once.
 *
 * Most frames of a large profile are in runs that nothing continues.  What such
 * a run visits is marked with the run's number, which needs no undoing; only
 * runs with something below them are undone when they are left.
 */
#include "profile/graph.h"

#include <errno.h>

#include "base/hash.h"
#include "profile/order.h"

/* Where a mark is on the path from the root, rather than in the last run. */
#define ON_PATH UINT32_MAX

/*
 * What a location does to the walk, in one word: 0, no node of it is kept; else
 * its only node, or, with this bit, where its list of nodes is.
 */
enum { PASSED_OVER = 0 };
#define A_LIST ((uint32_t)1 << 31)

/* The part of a node that is touched for every frame. */
struct tally {
	uint64_t cum;
	uint64_t mark;
};

/* The kept caller, as of the end of a run. */
struct place {
	node_id node;
	bool residual; /* frames since then were passed over */
};

/* How long the lists of marks to undo were at the end of a run. */
struct heights {
	uint32_t nodes;
	uint32_t edges;
};

struct walk {
	const struct graph_request *q;
	struct graph *g;
	struct arena *arena;	      /* for the graph */
	struct arena *scratch;	      /* for everything else */
	struct stack_weights weights; /* the request's, or made here */
	uint32_t *location;	      /* what each does; see above */
	VEC(node_id) lists; /* each a count and its nodes, outermost first */
	struct tally *tally;
	uint64_t *cum_div;	 /* by node; only for means */
	VEC(uint32_t) edge_mark; /* by edge */
	struct table edge_index;

	struct place *place;	 /* by position of a stack */
	struct heights *heights; /* likewise */
	VEC(node_id) node_undo;
	VEC(uint32_t) edge_undo;

	/* The run being walked. */
	struct weight sum;
	struct place at;
	uint32_t mark; /* its number, or ON_PATH */
};

static uint32_t find_edge(const struct walk *w, uint32_t hash, uint32_t from,
			  uint32_t to)
{
	uint32_t i = table_start(&w->edge_index, hash);
	uint32_t id;

	for (; (id = table_id(&w->edge_index, i, hash)) != TABLE_END;
	     i = table_next(&w->edge_index, i)) {
		if (!id)
			continue;
		if (w->g->edges.at[id - 1].from == from &&
		    w->g->edges.at[id - 1].to == to)
			return id;
	}
	return 0;
}

/* Returns the edge's index + 1, making it if need be; 0: out of memory. */
static uint32_t get_edge(struct walk *w, uint32_t from, uint32_t to)
{
	uint32_t hash = hash_pair(from, to);
	uint32_t id = find_edge(w, hash, from, to);
	struct graph_edge *e;
	uint32_t *mark;

	if (id)
		return id;
	mark = VEC_PUSH(&w->edge_mark, w->scratch);
	e = VEC_PUSH(&w->g->edges, w->arena);
	if (!e || !mark ||
	    !table_add(&w->edge_index, w->scratch, hash, w->g->edges.count))
		return 0;
	*e = (struct graph_edge){ .from = from, .to = to, .inlined = true };
	*mark = 0;
	return w->g->edges.count;
}

static bool credit_edge(struct walk *w, node_id to, bool inlined)
{
	uint32_t id = get_edge(w, w->at.node, to);
	struct graph_edge *e;
	uint32_t *mark;

	if (!id)
		return false;
	mark = &w->edge_mark.at[id - 1];
	if (*mark == ON_PATH || *mark == w->mark)
		return true;
	*mark = w->mark;
	e = &w->g->edges.at[id - 1];
	weight_add(&e->weight, &e->weight_div, w->sum);
	e->residual |= w->at.residual;
	e->inlined &= inlined;
	if (w->mark != ON_PATH)
		return true;
	if (!VEC_RESERVE(&w->edge_undo, w->scratch, 1))
		return false;
	w->edge_undo.at[w->edge_undo.count++] = id - 1;
	return true;
}

static bool credit_node(struct walk *w, node_id node)
{
	struct tally *t = &w->tally[node];

	if (t->mark == ON_PATH || t->mark == w->mark)
		return true;
	t->mark = w->mark;
	t->cum += w->sum.value;
	if (w->cum_div)
		w->cum_div[node] += w->sum.div;
	if (w->mark != ON_PATH)
		return true;
	if (!VEC_RESERVE(&w->node_undo, w->scratch, 1))
		return false;
	w->node_undo.at[w->node_undo.count++] = node;
	return true;
}

static bool wants_edge(const struct walk *w, node_id to)
{
	const bool *ends = w->q->edge_ends;

	if (!(w->q->parts & GRAPH_EDGES) || !w->at.node || w->at.node == to)
		return false;
	if (w->q->edge_targets && !w->q->edge_targets[to])
		return false;
	return !ends || ends[to] || ends[w->at.node];
}

static bool visit(struct walk *w, node_id node, bool inlined)
{
	if (!credit_node(w, node))
		return false;
	if (wants_edge(w, node) && !credit_edge(w, node, inlined))
		return false;
	w->at = (struct place){ .node = node };
	return true;
}

/* A location with inlined lines; the first in the list is the real one. */
static bool visit_list(struct walk *w, const node_id *list)
{
	for (node_id i = 1; i <= list[0]; i++) {
		if (!list[i])
			w->at.residual = true;
		else if (!visit(w, list[i], i > 1))
			return false;
	}
	return true;
}

static bool visit_run(struct walk *w, const frame_id *frames, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t what = w->location[frames[i]];

		if (what == PASSED_OVER)
			w->at.residual = true;
		else if (what & A_LIST
				 ? !visit_list(w, &w->lists.at[what & ~A_LIST])
				 : !visit(w, what, false))
			return false;
	}
	return true;
}

/*
 * The tables are larger than the caches near the core, and frames jump about in
 * them.  So what later runs need is asked for while this one is walked, in
 * three stages: their frames, what the locations do, and the tallies of nodes.
 * Runs are a dozen frames long on average; these distances measured best.
 */
enum { FRAMES_AHEAD = 12, LOCATIONS_AHEAD = 5, TALLIES_AHEAD = 2, MOST = 48 };

static void ask_for_frames(const struct walk *w, const struct stack_step *n)
{
	enum { LINE = 16 }; /* frames in a cache line */
	const frame_id *frames = w->q->profile->stacks.frames.at + n->first;

	for (uint32_t f = 0; f < n->length && f < MOST; f += LINE)
		__builtin_prefetch(&frames[f]);
}

static void ask_for_locations(const struct walk *w, const struct stack_step *n)
{
	const frame_id *frames = w->q->profile->stacks.frames.at + n->first;

	for (uint32_t f = 0; f < n->length && f < MOST; f++)
		__builtin_prefetch(&w->location[frames[f]]);
}

static void ask_for_tallies(const struct walk *w, const struct stack_step *n)
{
	const frame_id *frames = w->q->profile->stacks.frames.at + n->first;

	for (uint32_t f = 0; f < n->length && f < MOST; f++) {
		uint32_t what = w->location[frames[f]];

		if (what & A_LIST)
			__builtin_prefetch(&w->lists.at[what & ~A_LIST]);
		else
			__builtin_prefetch(&w->tally[what], 1);
	}
}

static void look_ahead(const struct walk *w, uint32_t i)
{
	const struct stack_order *o = w->q->order;

	if (i + FRAMES_AHEAD >= o->count)
		return;
	ask_for_frames(w, &o->step[i + FRAMES_AHEAD]);
	ask_for_locations(w, &o->step[i + LOCATIONS_AHEAD]);
	ask_for_tallies(w, &o->step[i + TALLIES_AHEAD]);
}

static void undo_to(struct walk *w, struct heights h)
{
	while (w->node_undo.count > h.nodes)
		w->tally[w->node_undo.at[--w->node_undo.count]].mark = 0;
	while (w->edge_undo.count > h.edges)
		w->edge_mark.at[w->edge_undo.at[--w->edge_undo.count]] = 0;
}

/* The node that a stack ending here spends its own time in, if kept. */
static struct graph_node *leaf(struct walk *w)
{
	if (!w->at.node || w->at.residual)
		return NULL;
	return &w->g->nodes.at[w->at.node];
}

static bool enter_stack(struct walk *w, uint32_t position)
{
	const struct stack_step *n = &w->q->order->step[position];
	struct graph_node *end;

	w->sum = stack_weight(&w->weights, position);
	w->at = w->place[n->parent];
	/* What this subtree spends is not spent at its caller's end. */
	end = leaf(w);
	if (end)
		weight_sub(&end->flat, &end->flat_div, w->sum);
	if (!visit_run(w, w->q->profile->stacks.frames.at + n->first,
		       n->length))
		return false;
	end = leaf(w);
	if (end)
		weight_add(&end->flat, &end->flat_div, w->sum);
	return true;
}

static int walk_tree(struct walk *w)
{
	const struct stack_order *o = w->q->order;

	for (uint32_t i = 1; i < o->count; i++) {
		bool ends = i + 1 == o->count || o->step[i + 1].parent != i;

		look_ahead(w, i);
		/* Where nothing counts nothing is entered, nor made. */
		if (!w->weights.any[i])
			continue;
		undo_to(w, w->heights[o->step[i].parent]);
		w->mark = ends ? i : ON_PATH;
		if (!enter_stack(w, i))
			return -ENOMEM;
		if (ends)
			continue;
		w->place[i] = w->at;
		w->heights[i] = (struct heights){ w->node_undo.count,
						  w->edge_undo.count };
	}
	return 0;
}

/* Appends the nodes of location l as a list; false: out of memory. */
static bool add_list(struct walk *w, location_id l)
{
	const struct nodetab *t = w->q->nodes;
	uint32_t first = t->first[l], end = t->first[l + 1];

	if (!VEC_RESERVE(&w->lists, w->scratch, end - first + 1))
		return false;
	w->lists.at[w->lists.count++] = end - first;
	for (uint32_t i = end; i-- > first;) {
		node_id node = t->ids.at[i];
		bool kept = !w->q->kept || w->q->kept[node];

		w->lists.at[w->lists.count++] = kept ? node : 0;
	}
	return true;
}

/* Finds out what location l does to the walk; false: out of memory. */
static bool judge_location(struct walk *w, location_id l)
{
	const struct nodetab *t = w->q->nodes;
	uint32_t first = t->first[l], end = t->first[l + 1];
	bool any = false;

	for (uint32_t i = first; i < end; i++)
		any |= !w->q->kept || w->q->kept[t->ids.at[i]];
	if (!any)
		return true;
	if (end - first == 1) {
		w->location[l] = t->ids.at[first];
		return true;
	}
	w->location[l] = A_LIST | w->lists.count;
	return w->lists.count < A_LIST && add_list(w, l);
}

static int prepare(struct walk *w)
{
	const struct graph_request *q = w->q;
	uint32_t locations = q->profile->locations.count;
	uint32_t stacks = q->profile->stacks.nodes.count;
	uint32_t nodes = q->nodes->info.count;

	w->location = ARENA_ARRAY(w->scratch, uint32_t, locations);
	w->tally = ARENA_ARRAY(w->scratch, struct tally, nodes);
	if (q->value.mean)
		w->cum_div = ARENA_ARRAY(w->scratch, uint64_t, nodes);
	w->place = ARENA_ARRAY(w->scratch, struct place, stacks);
	w->heights = ARENA_ARRAY(w->scratch, struct heights, stacks);
	if (w->scratch->failed || !VEC_RESERVE(&w->g->nodes, w->arena, nodes))
		return -ENOMEM;

	for (uint32_t i = 1; i < locations; i++)
		if (!judge_location(w, i))
			return -ENOMEM;
	w->g->nodes.count = nodes;
	for (uint32_t i = 0; i < nodes; i++)
		w->g->nodes.at[i].info = i;
	return 0;
}

static void take_tallies(struct walk *w)
{
	for (uint32_t i = 1; i < w->g->nodes.count; i++) {
		struct graph_node *n = &w->g->nodes.at[i];

		n->cum = (int64_t)w->tally[i].cum;
		n->cum_div = w->cum_div ? (int64_t)w->cum_div[i] : 0;
	}
}

int graph_weights(struct stack_weights *ret, const struct graph_request *q,
		  struct arena *arena)
{
	if (!q->weights)
		return stack_weights_make(ret, q->profile, q->order, q->value,
					  arena);
	*ret = *q->weights;
	return 0;
}

static int run(struct walk *w)
{
	int r = prepare(w);

	if (r == 0)
		r = graph_weights(&w->weights, w->q, w->scratch);
	if (r == 0)
		r = walk_tree(w);
	if (r == 0)
		take_tallies(w);
	return r;
}

int graph_make(struct graph *g, const struct graph_request *q,
	       struct arena *arena)
{
	struct arena scratch = { 0 };
	struct walk w = { .q = q, .g = g, .arena = arena, .scratch = &scratch };
	int r;

	*g = (struct graph){ 0 };
	r = run(&w);
	arena_release(&scratch);
	return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * Samples into a call graph.  With the sums of all subtrees of the stack tree
 * at hand, one walk visits each run of frames once.  On the way down a node or
 * an edge is credited with the subtree's sum if it is not on the path yet,
 * which is how recursion counts only once.
 */
#include "profile/graph.h"

#include <errno.h>

#include "base/hash.h"
#include "profile/order.h"

/* One frame of the path being walked. */
struct step {
	node_id node;	    /* 0: not kept, passed over */
	uint32_t edge;	    /* index + 1 of the edge to it; 0: none */
	uint32_t last_kept; /* position + 1 of the nearest kept step; 0: none */
};

struct walk {
	const struct graph_request *q;
	struct graph *g;
	struct arena *arena;   /* for the graph */
	struct arena *scratch; /* for everything else */
	struct stack_weights weights;
	uint32_t *height; /* by stack: steps on the path at its end */
	VEC(struct step) path;
	uint32_t *node_uses; /* by node: times it is on the path */
	VEC(uint32_t) edge_uses;
	struct table edge_index;
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

	if (id)
		return id;
	if (!VEC_RESERVE(&w->edge_uses, w->scratch, 1))
		return 0;
	e = VEC_PUSH(&w->g->edges, w->arena);
	if (!e ||
	    !table_add(&w->edge_index, w->scratch, hash, w->g->edges.count))
		return 0;
	*e = (struct graph_edge){ .from = from, .to = to, .inlined = true };
	w->edge_uses.at[w->edge_uses.count++] = 0;
	return w->g->edges.count;
}

static void credit_edge(struct walk *w, uint32_t edge, struct weight sum,
			bool residual, bool inlined)
{
	struct graph_edge *e = &w->g->edges.at[edge - 1];

	if (w->edge_uses.at[edge - 1]++)
		return;
	weight_add(&e->weight, &e->weight_div, sum);
	e->residual |= residual;
	e->inlined &= inlined;
}

static void credit_node(struct walk *w, node_id node, struct weight sum)
{
	struct graph_node *n = &w->g->nodes.at[node];

	if (!w->node_uses[node]++)
		weight_add(&n->cum, &n->cum_div, sum);
}

/* Room for one more step was made. */
static bool enter_frame(struct walk *w, node_id node, struct weight sum,
			bool inlined)
{
	uint32_t depth = w->path.count;
	uint32_t last = depth ? w->path.at[depth - 1].last_kept : 0;
	struct step *step = &w->path.at[w->path.count++];
	node_id caller = last ? w->path.at[last - 1].node : 0;

	*step = (struct step){ .last_kept = last };
	if (w->q->kept && !w->q->kept[node])
		return true;

	step->node = node;
	step->last_kept = depth + 1;
	credit_node(w, node, sum);
	if (!caller || caller == node || !(w->q->parts & GRAPH_EDGES))
		return true;
	step->edge = get_edge(w, caller, node);
	if (!step->edge)
		return false;
	credit_edge(w, step->edge, sum, last != depth, inlined);
	return true;
}

static bool enter_location(struct walk *w, location_id location,
			   struct weight sum)
{
	const struct nodetab *t = w->q->nodes;
	uint32_t first = t->first[location];
	uint32_t end = t->first[location + 1];

	if (!VEC_RESERVE(&w->path, w->scratch, end - first))
		return false;
	for (uint32_t i = end; i-- > first;)
		if (!enter_frame(w, t->ids.at[i], sum, i != end - 1))
			return false;
	return true;
}

static void leave_to(struct walk *w, uint32_t height)
{
	while (w->path.count > height) {
		const struct step *s = &w->path.at[--w->path.count];

		if (s->node)
			w->node_uses[s->node]--;
		if (s->edge)
			w->edge_uses.at[s->edge - 1]--;
	}
}

/* The node that a stack ending here spends its own time in, if kept. */
static struct graph_node *leaf(struct walk *w)
{
	uint32_t depth = w->path.count;

	if (!depth || !w->path.at[depth - 1].node)
		return NULL;
	return &w->g->nodes.at[w->path.at[depth - 1].node];
}

static int enter_stack(struct walk *w, stack_id id)
{
	const struct stacktab *t = &w->q->profile->stacks;
	const struct stack_node *n = &t->nodes.at[id];
	struct weight sum = stack_weight(&w->weights, id);
	struct graph_node *end = leaf(w);

	/* What this subtree spends is not spent at its caller's end. */
	if (end)
		weight_sub(&end->flat, &end->flat_div, sum);
	for (uint32_t i = 0; i < n->length; i++)
		if (!enter_location(w, t->frames.at[n->first + i], sum))
			return -ENOMEM;
	end = leaf(w);
	if (end)
		weight_add(&end->flat, &end->flat_div, sum);
	return 0;
}

static int walk_tree(struct walk *w)
{
	const struct stack_order *o = w->q->order;

	for (uint32_t i = 1; i < o->count; i++) {
		stack_id id = o->node[i];
		stack_id parent = w->q->profile->stacks.nodes.at[id].parent;

		leave_to(w, w->height[parent]);
		/* Where nothing counts nothing is entered, nor made. */
		if (w->weights.any[id] && enter_stack(w, id) < 0)
			return -ENOMEM;
		w->height[id] = w->path.count;
	}
	return 0;
}

static int run(struct walk *w)
{
	uint32_t nodes = w->q->nodes->info.count;
	int r = stack_weights_make(&w->weights, w->q->profile, w->q->order,
				   w->q->value, w->scratch);

	if (r < 0)
		return r;
	w->height = ARENA_ARRAY(w->scratch, uint32_t,
				w->q->profile->stacks.nodes.count);
	w->node_uses = ARENA_ARRAY(w->scratch, uint32_t, nodes);
	if (!w->height || !w->node_uses ||
	    !VEC_RESERVE(&w->g->nodes, w->arena, nodes))
		return -ENOMEM;

	w->g->nodes.count = nodes;
	for (uint32_t i = 0; i < nodes; i++)
		w->g->nodes.at[i].info = i;
	return walk_tree(w);
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

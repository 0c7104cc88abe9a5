/* SPDX-License-Identifier: MIT */
/*
 * Which nodes and edges of a graph are shown.  Leaving a node out joins its
 * callers to its callees, so the edges are aggregated anew from the samples
 * once it is known who stays; the nodes' own values do not change by it.
 */
#include "profile/trim.h"

#include <errno.h>

#include "base/check.h"
#include "profile/graph_order.h"
#include "profile/unit.h"

struct trimmer {
	struct trimmed *t;
	const struct trim_options *o;
	struct arena *arena;
	int64_t node_cutoff;
	int64_t edge_cutoff;
	bool whole;	   /* all edges are there from the beginning */
	uint32_t left_out; /* light nodes that the tree was made without */
};

bool node_is_shown(const struct graph_node *n, bool drop_negative)
{
	if (!n->cum && !n->flat)
		return false;
	if (!drop_negative)
		return true;
	return n->flat > 0 || (n->flat == 0 && n->cum >= 0);
}

static void list_nodes(struct trimmer *x)
{
	struct trimmed *t = x->t;

	t->shown_count = 0;
	for (uint32_t i = 1; i < t->graph.nodes.count; i++)
		if (node_is_shown(&t->graph.nodes.at[i], x->o->drop_negative))
			t->shown[t->shown_count++] = i;
}

static int64_t fraction_of(int64_t total, double fraction)
{
	return magnitude(integer_part((double)total * fraction));
}

static void set_cutoffs(struct trimmer *x, int64_t total)
{
	x->node_cutoff = fraction_of(total, x->o->node_fraction);
	x->edge_cutoff = fraction_of(total, x->o->edge_fraction);
	x->t->tag_cutoff = x->node_cutoff;
}

static void find_cutoffs(struct trimmer *x)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < x->t->shown_count; i++)
		total += (uint64_t)x->t->graph.nodes.at[x->t->shown[i]].flat;
	set_cutoffs(x, (int64_t)total);
}

/* Light edges are looked for by the nodes they lead to. */
static unsigned wanted_lists(const struct trimmer *x)
{
	unsigned lists = 0;

	if (!x->o->callers_only)
		lists |= LIST_CALLEES | LIST_IN_ORDER;
	if (!x->o->callees_only || x->o->edge_fraction != 0)
		lists |= LIST_CALLERS;
	return lists;
}

/* Aggregates anew with only the shown nodes kept (or all, with all set). */
static int remake(struct trimmer *x, bool all)
{
	struct trimmed *t = x->t;
	struct graph_request q = *t->request;
	bool *kept = NULL;
	int r;

	if (!all) {
		kept = ARENA_ARRAY(x->arena, bool, q.nodes->info.count);
		if (!kept)
			return -ENOMEM;
		for (uint32_t i = 0; i < t->shown_count; i++)
			kept[t->graph.nodes.at[t->shown[i]].info] = true;
	}
	t->kept = kept;
	/* Only edges depend on who is kept; the nodes are there already. */
	if (!x->o->edges || (all && x->whole))
		return 0;
	q.kept = kept;
	r = graph_add_edges(&t->graph, &q, x->arena);
	if (r < 0)
		return r;
	return graph_link_edges(t, wanted_lists(x), x->arena);
}

/* Keeps the nodes that reach the cutoff; true if some do not. */
static bool drop_light_nodes(struct trimmer *x)
{
	struct trimmed *t = x->t;
	uint32_t before = t->shown_count;
	uint32_t left = 0;

	if (x->node_cutoff <= 0)
		return false;
	for (uint32_t i = 0; i < before; i++) {
		uint32_t id = t->shown[i];

		if (magnitude(t->graph.nodes.at[id].cum) >= x->node_cutoff)
			t->shown[left++] = id;
	}
	t->shown_count = left;
	t->dropped_nodes = before - left;
	return left != before;
}

static uint32_t tags_of(const struct trimmer *x, uint32_t node)
{
	enum { MOST_SHOWN = 4 };
	uint32_t count = 0;

	if (x->o->count_tags)
		count = x->o->count_tags(x->o->context, x->t, node,
					 x->node_cutoff);
	return count < MOST_SHOWN ? count : MOST_SHOWN;
}

/* How many of the nodes, in order, may stay. */
static uint32_t nodes_allowed(const struct trimmer *x)
{
	uint32_t most = x->o->node_count;
	uint64_t count = 0;

	for (uint32_t i = 0; x->o->visual && i < x->t->shown_count; i++) {
		count += 1 + tags_of(x, x->t->shown[i]);
		if (count >= x->o->node_count) {
			most = i + 1;
			break;
		}
	}
	return most < x->t->shown_count ? most : x->t->shown_count;
}

/* Where nothing is light, what has no magnitude is: the least number there is,
 * of which the opposite is none. */
static uint32_t drop_least_edges(struct trimmer *x)
{
	struct trimmed *t = x->t;
	uint32_t dropped = 0;

	for (uint32_t i = 0; i < t->graph.edges.count; i++) {
		struct graph_edge *e = &t->graph.edges.at[i];

		if (magnitude(e->weight) >= x->edge_cutoff || e->removed ||
		    !node_is_shown(&t->graph.nodes.at[e->to],
				   x->o->drop_negative))
			continue;
		e->removed = true;
		dropped++;
	}
	return dropped;
}

/* Removes light edges into shown nodes; returns how many. */
static uint32_t drop_light_edges(struct trimmer *x)
{
	struct trimmed *t = x->t;
	uint32_t dropped = 0;

	if (x->edge_cutoff <= 0)
		return drop_least_edges(x);
	for (uint32_t i = 0; i < t->shown_count; i++) {
		struct edge_list in = edges_in(t, t->shown[i]);

		for (uint32_t j = 0; j < in.count; j++) {
			struct graph_edge *e = &t->graph.edges.at[in.at[j]];

			if (e->removed ||
			    magnitude(e->weight) >= x->edge_cutoff)
				continue;
			e->removed = true;
			dropped++;
		}
	}
	return dropped;
}

static graph_score *score(const struct trimmer *x)
{
	if (x->o->visual)
		return x->o->visual;
	return x->o->by_cum ? graph_score_cum : graph_score_flat;
}

/* Moves nodes whose edges are asked for to the front; returns how many. */
static uint32_t gather_ends(struct trimmed *t)
{
	const bool *wanted = t->request->edge_ends;
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->shown_count; i++) {
		uint32_t id = t->shown[i];

		if (!wanted[t->graph.nodes.at[id].info])
			continue;
		t->shown[i] = t->shown[count];
		t->shown[count++] = id;
	}
	return count;
}

/* Whoever asks for the edges of a few nodes looks at those; others need no
 * order, unless it decides who stays. */
static int order_nodes(struct trimmer *x)
{
	struct trimmed *t = x->t;
	uint32_t all = t->shown_count;
	int r;

	if (t->request->edge_ends && !x->o->node_count)
		t->shown_count = gather_ends(t);
	r = graph_order_nodes(t, score(x), x->arena);
	t->shown_count = all;
	return r;
}

/*
 * For text the order needs no edges, so they are aggregated once, at the end.
 * redo tells whether nodes are missing from the graph as it is.
 */
static int trim_graph(struct trimmer *x)
{
	struct trimmed *t = x->t;
	bool light = drop_light_nodes(x);
	uint32_t allowed;
	int r = 0;

	t->original_count = t->shown_count;
	if (x->o->visual)
		r = remake(x, !light);
	if (r == 0)
		r = order_nodes(x);
	if (r < 0)
		return r;

	allowed = x->o->node_count ? nodes_allowed(x) : t->shown_count;
	if (allowed < t->shown_count) {
		t->shown_count = allowed;
		r = remake(x, false);
		if (r == 0)
			r = order_nodes(x);
	} else {
		if (!x->o->visual)
			r = remake(x, !light);
		if (r == 0 && x->o->node_count)
			drop_light_edges(x);
	}
	return r;
}

/* Gives the edges of a left-out tree node to its caller. */
static void bypass(struct trimmed *t, uint32_t *edge_to, uint32_t node)
{
	struct edge_list out = edges_out(t, node);
	uint32_t above = edge_to[node];
	struct graph_edge *up = above ? &t->graph.edges.at[above - 1] : NULL;

	for (uint32_t i = 0; i < out.count; i++) {
		struct graph_edge *e = &t->graph.edges.at[out.at[i]];

		if (e->removed)
			continue;
		if (!up || up->removed) {
			e->removed = true;
			continue;
		}
		e->from = up->from;
		e->residual = true;
		e->inlined &= up->inlined;
	}
	if (up)
		up->removed = true;
}

/* Leaves out every node that is no longer shown.  Those that never were, since
 * they add up to nothing, stay where they are: calls to them are shown. */
static int trim_tree_nodes(struct trimmer *x)
{
	struct trimmed *t = x->t;
	uint32_t count = t->graph.nodes.count;
	uint32_t *edge_to = ARENA_ARRAY(x->arena, uint32_t, count);
	bool *stays = ARENA_ARRAY(x->arena, bool, count);

	if (!edge_to || !stays)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->graph.edges.count; i++)
		edge_to[t->graph.edges.at[i].to] = i + 1;
	for (uint32_t i = 0; i < t->shown_count; i++)
		stays[t->shown[i]] = true;
	/* Callers first, so that an edge moves up as far as it must. */
	for (uint32_t i = 1; i < count; i++)
		if (!stays[i] &&
		    node_is_shown(&t->graph.nodes.at[i], x->o->drop_negative))
			bypass(t, edge_to, i);
	return graph_link_edges(t, wanted_lists(x), x->arena);
}

static int trim_tree(struct trimmer *x)
{
	struct trimmed *t = x->t;
	uint32_t allowed;
	int r = 0;

	if (drop_light_nodes(x))
		r = trim_tree_nodes(x);
	t->dropped_nodes += x->left_out;
	t->original_count = t->shown_count;
	if (r == 0)
		r = order_nodes(x);
	if (r < 0 || !x->o->node_count)
		return r;

	drop_light_edges(x);
	allowed = nodes_allowed(x);
	if (allowed == t->shown_count)
		return 0;
	t->shown_count = allowed;
	r = trim_tree_nodes(x);
	return r < 0 ? r : graph_reorder_nodes(x->t, score(x), x->arena);
}

/* For a mean, calls that add up to nothing have a place all the same, and stay
 * when nodes go. */
static bool has_weightless_calls(const struct graph_request *q)
{
	const struct profile *p = q->profile;

	for (uint32_t i = 0; q->value.mean && i < p->sample_count; i++) {
		const int64_t *v = profile_values(p, i);

		if (!v[q->value.index] && v[0])
			return true;
	}
	return false;
}

/* Light nodes are most of a large tree: it is made without them if it can. */
static int first_tree(struct trimmer *x)
{
	struct trimmed *t = x->t;
	struct calltree tree;
	uint64_t least = 0;
	int64_t total;
	int r;

	if (x->o->node_fraction != 0 &&
	    graph_sum_positive(t->request, &total) &&
	    !has_weightless_calls(t->request)) {
		set_cutoffs(x, total);
		least = x->node_cutoff > 0 ? (uint64_t)x->node_cutoff : 0;
	}
	r = calltree_make(&tree, t->request, least, x->arena);
	if (r < 0)
		return r;
	t->graph = tree.graph;
	t->ends = tree.ends;
	x->left_out = tree.left_out < UINT32_MAX ? (uint32_t)tree.left_out
						 : UINT32_MAX;
	return 0;
}

/* Whether the edges are all that the known graph has, and in its order. */
static bool are_listed(const struct trimmer *x)
{
	const struct trimmed *listed = x->t->request->listed;

	return x->whole && listed &&
	       (listed->in.ids || !(wanted_lists(x) & LIST_CALLERS)) &&
	       listed->graph.edges.count == x->t->graph.edges.count;
}

/* Lists the edges of nodes, if nobody has. */
static int list_edges(struct trimmer *x)
{
	if (!are_listed(x))
		return graph_link_edges(x->t, wanted_lists(x), x->arena);
	x->t->out = x->t->request->listed->out;
	x->t->in = x->t->request->listed->in;
	return 0;
}

static int first_graph(struct trimmer *x)
{
	struct trimmed *t = x->t;
	struct graph_request q = *t->request;
	int r;

	q.kept = NULL;
	x->whole = x->o->edges && x->o->node_fraction == 0 && !x->o->node_count;
	if (x->o->tree)
		r = first_tree(x);
	else if (x->whole)
		r = graph_make(&t->graph, &q, x->arena);
	else
		r = graph_add_nodes(&t->graph, &q, x->arena);
	if (r < 0)
		return r;
	t->shown = ARENA_ARRAY(x->arena, uint32_t, t->graph.nodes.count);
	t->names = ARENA_ARRAY(x->arena, struct span, q.nodes->info.count);
	if (!t->shown || !t->names)
		return -ENOMEM;
	return list_edges(x);
}

int trim(struct trimmed *t, const struct graph_request *request,
	 const struct trim_options *options, struct arena *arena)
{
	struct trimmer x = { .t = t, .o = options, .arena = arena };
	int r;

	ASSERT(!options->callers_only || (!options->tree && !options->visual));
	*t = (struct trimmed){
		.request = request,
		.arena = arena,
		.ranks = request->nodes->ranks,
	};
	r = first_graph(&x);
	if (r < 0)
		return r;
	list_nodes(&x);
	if (!x.left_out)
		find_cutoffs(&x);
	r = options->tree ? trim_tree(&x) : trim_graph(&x);
	if (r < 0)
		return r;

	t->dropped_edges = drop_light_edges(&x);
	return options->visual ? graph_drop_redundant(t, arena) : 0;
}

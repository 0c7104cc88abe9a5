/* SPDX-License-Identifier: MIT */
/* The call tree of "wick report tree": who called what, from the top down. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "profile/boxtree.h"
#include "profile/number.h"
#include "report/graphview.h"
#include "report/human.h"
#include "report/report.h"
#include "report/reports.h"
#include "term/colour.h"

enum { BAR = 8, NUMBERS = 28, DEEPEST = 400 };

static void put_title(struct sink *out, const struct report_context *c)
{
	const struct palette *look = c->request->look->palette;

	put_human_header(out, c);
	sink_format(out, "%s%*s%6s %9s %9s name%s\n", look->bold, BAR + 1, "",
		    "", "total", "self", look->reset);
}

/* The numbers of a row, up to its name; returns the room for that. */
static unsigned put_numbers(struct sink *out, const struct report_context *c,
			    int64_t cum, int64_t flat, unsigned depth)
{
	const struct report_look *look = c->request->look;
	unsigned indent = depth < 30 ? depth : 30;
	unsigned used = BAR + NUMBERS + indent;

	sink_text(out, look->palette->red);
	put_bar(out, cum, c->total, BAR);
	sink_format(out, "%s ", look->palette->reset);
	put_percent(out, cum, c->total);
	sink_char(out, ' ');
	put_value_right(out, c, cum, 9);
	sink_char(out, ' ');
	put_right(out, span_text(value_or_dot(c, flat)), 9);
	sink_char(out, ' ');
	sink_repeat(out, ' ', indent);
	return look->width > used + 20 ? look->width - used : 20;
}

static void put_name(struct sink *out, const struct report_context *c,
		     struct span name, unsigned room, bool inlined)
{
	const struct palette *look = c->request->look->palette;

	put_function(out, name, room, c->arena);
	if (inlined)
		sink_format(out, " %s(inlined)%s", look->dim, look->reset);
	sink_char(out, '\n');
}

/* The tree as boxes, which leave out at once what would not be shown. */
struct box_rows {
	const struct report_context *c;
	const struct nodetab *nodes;
	const struct boxtree *tree;
	struct sink *out;
	uint32_t *child; /* by parent, the heaviest first */
	uint32_t *first; /* child[first[b]] to child[first[b + 1]] are b's */
	uint32_t *next;	 /* by box: its child that comes next */
	bool *shown;	 /* by box */
};

static bool heavier(const void *context, uint32_t a, uint32_t b)
{
	const struct box *boxes = context;

	/* What was merged comes last, however much it is. */
	if (!boxes[a].merged != !boxes[b].merged)
		return !boxes[a].merged;
	return boxes[a].value[0] > boxes[b].value[0];
}

/*
 * Shows the heaviest, at most so many (0: all).  No box is heavier than the one
 * that it stands on, so whoever is shown has a way to the root.
 */
static int choose_boxes(struct box_rows *r, uint32_t most)
{
	const struct box *boxes = r->tree->boxes.at;
	uint32_t count = r->tree->boxes.count;
	uint32_t *ids = ARENA_ARRAY(r->c->arena, uint32_t, 2 * (size_t)count);
	uint32_t single = 0;

	r->shown = ARENA_ARRAY(r->c->arena, bool, count);
	if (!ids || !r->shown)
		return -ENOMEM;
	/* Parents stand before their children, also if both weigh the same. */
	for (uint32_t i = 1; i < count; i++)
		if (!boxes[i].merged)
			ids[single++] = i;
	sort_ids(ids, ids + count, single, heavier, boxes);
	for (uint32_t i = 0; i < single && (!most || i < most); i++)
		r->shown[ids[i]] = true;
	return 0;
}

static int order_boxes(struct box_rows *r)
{
	const struct box *boxes = r->tree->boxes.at;
	uint32_t count = r->tree->boxes.count;
	uint32_t *scratch = ARENA_ARRAY(r->c->arena, uint32_t, count);

	r->child = ARENA_ARRAY(r->c->arena, uint32_t, count);
	r->first = ARENA_ARRAY(r->c->arena, uint32_t, (size_t)count + 2);
	r->next = ARENA_ARRAY(r->c->arena, uint32_t, count);
	if (!scratch || !r->child || !r->first || !r->next)
		return -ENOMEM;
	for (uint32_t i = 1; i < count; i++)
		r->first[boxes[i].parent + 2]++;
	for (uint32_t i = 2; i < count + 2; i++)
		r->first[i] += r->first[i - 1];
	for (uint32_t i = 1; i < count; i++)
		r->child[r->first[boxes[i].parent + 1]++] = i;
	for (uint32_t i = 0; i < count; i++)
		sort_ids(r->child + r->first[i], scratch,
			 r->first[i + 1] - r->first[i], heavier, boxes);
	memcpy(r->next, r->first, count * sizeof(*r->next));
	return 0;
}

static void put_box(const struct box_rows *r, const struct box *b)
{
	unsigned room = put_numbers(r->out, r->c, (int64_t)b->value[0],
				    (int64_t)b->self[0], b->depth - 1);

	put_name(r->out, r->c,
		 node_name(&r->nodes->info.at[b->node], r->c->profile.strings,
			   r->c->arena),
		 room, b->inlined);
}

/* What a box calls that is not shown, in one row. */
static void put_rest(const struct box_rows *r, uint32_t at)
{
	const struct palette *look = r->c->request->look->palette;
	const struct box *boxes = r->tree->boxes.at;
	uint32_t count = 0;
	double value = 0;

	for (uint32_t i = r->first[at]; i < r->first[at + 1]; i++) {
		const struct box *b = &boxes[r->child[i]];

		if (r->shown[r->child[i]])
			continue;
		count += b->merged ? b->merged : 1;
		value += b->value[0];
	}
	if (!count)
		return;
	put_numbers(r->out, r->c, (int64_t)value, 0, boxes[at].depth);
	sink_format(r->out, "%s(%u smaller)%s\n", look->dim, count,
		    look->reset);
}

/* All boxes but the root; no recursion, since stacks are input. */
static void put_boxes(const struct box_rows *r)
{
	const struct box *boxes = r->tree->boxes.at;
	uint32_t at = 0;

	for (;;) {
		uint32_t child = r->next[at] < r->first[at + 1]
					 ? r->child[r->next[at]++]
					 : 0;

		if (child && r->shown[child]) {
			at = child;
			put_box(r, &boxes[at]);
		} else if (!child) {
			put_rest(r, at);
			if (!at)
				return;
			at = boxes[at].parent;
		}
	}
}

static int64_t smallest_box(const struct box_rows *r)
{
	const struct boxtree *t = r->tree;
	int64_t least = 0;

	for (uint32_t i = 1; i < t->boxes.count; i++) {
		const struct box *b = &t->boxes.at[i];
		int64_t v = (int64_t)(b->self[0] > 0 ? b->self[0]
						     : b->value[0]);

		if (r->shown[i] && v > 0 && (!least || v < least))
			least = v;
	}
	return least;
}

static int write_boxes(struct report_context *c, struct sink *out,
		       struct error *err)
{
	const struct graph_wish wish = { 0 };
	struct graph_view g = { 0 };
	struct boxtree tree = { 0 };
	struct box_rows r = {
		.c = c, .nodes = &g.nodes, .tree = &tree, .out = out
	};
	int code = graph_view_prepare(&g, c, &wish, err);
	uint32_t most = c->view.nodecount > 0 ? (uint32_t)c->view.nodecount : 0;
	uint32_t *ones;

	if (code < 0)
		return code;
	/* Each box costs one, and brothers are put in order later. */
	ones = ARENA_ARRAY(c->arena, uint32_t, g.nodes.info.count);
	for (uint32_t i = 0; ones && i < g.nodes.info.count; i++)
		ones[i] = 1;
	if (ones) {
		const struct boxtree_request q = {
			.profile = &c->profile,
			.nodes = &g.nodes,
			.order = g.request.order,
			.type = { c->value.index },
			.sides = 1,
			.rank = ones,
			.cost = ones,
			/* More than are shown, to choose them from. */
			.budget = most ? 4096 + 16 * (uint64_t)most
				       : UINT64_MAX,
			.least_share = c->view.nodefraction,
		};

		code = boxtree_make(&tree, &q, c->arena);
	}
	if (!ones || code < 0 || choose_boxes(&r, most) < 0 ||
	    order_boxes(&r) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	context_choose_unit(c, smallest_box(&r), false);
	put_title(out, c);
	put_boxes(&r);
	return 0;
}

/* The tree as a graph, for values of either sign: of a comparison. */
struct graph_rows {
	const struct report_context *c;
	const struct trimmed *t;
	struct sink *out;
	bool *called; /* by node: an edge leads to it */
};

static void put_node(const struct graph_rows *r, uint32_t node, unsigned depth,
		     bool inlined)
{
	const struct graph_node *n = &r->t->graph.nodes.at[node];
	unsigned room = put_numbers(r->out, r->c, node_cum(n), node_flat(n),
				    depth);

	put_name(r->out, r->c, trimmed_name(r->t, node), room, inlined);
}

/* One level of the walk: the edges of a node, and which is next. */
struct level {
	struct edge_list edges;
	uint32_t next;
};

/* Writes node and all below it; no recursion, since stacks are input. */
static void put_subtree(const struct graph_rows *r, uint32_t node)
{
	struct level levels[DEEPEST];
	unsigned depth = 0;

	put_node(r, node, 0, false);
	levels[0] = (struct level){ edges_out(r->t, node), 0 };
	for (;;) {
		struct level *l = &levels[depth];
		const struct graph_edge *e;

		if (l->next == l->edges.count) {
			if (!depth--)
				return;
			continue;
		}
		e = &r->t->graph.edges.at[l->edges.at[l->next++]];
		if (e->removed)
			continue;
		put_node(r, e->to, depth + 1, e->inlined);
		if (depth + 1 < DEEPEST)
			levels[++depth] = (struct level){
				edges_out(r->t, e->to), 0
			};
	}
}

static int write_graph(struct report_context *c, struct sink *out,
		       struct error *err)
{
	const struct graph_wish wish = { .tree_allowed = true, .edges = true };
	struct graph_view g = { 0 };
	struct graph_rows r = { .c = c, .t = &g.trimmed, .out = out };
	int code = graph_view_prepare(&g, c, &wish, err);

	if (code == 0)
		code = graph_view_trim(&g, c, &wish, err);
	if (code < 0)
		return code;
	r.called = ARENA_ARRAY(c->arena, bool, g.trimmed.graph.nodes.count);
	if (!r.called)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < g.trimmed.graph.edges.count; i++)
		if (!g.trimmed.graph.edges.at[i].removed)
			r.called[g.trimmed.graph.edges.at[i].to] = true;
	put_title(out, c);
	for (uint32_t i = 0; i < g.trimmed.shown_count; i++)
		if (!r.called[g.trimmed.shown[i]])
			put_subtree(&r, g.trimmed.shown[i]);
	return 0;
}

static bool has_negative(const struct report_context *c)
{
	for (uint32_t i = 0; i < c->profile.sample_count; i++)
		if (profile_values(&c->profile, i)[c->value.index] < 0)
			return true;
	return false;
}

static int tree_write(struct report_context *c, struct sink *out,
		      struct error *err)
{
	return c->value.mean || has_negative(c) ? write_graph(c, out, err)
						: write_boxes(c, out, err);
}

static void adjust_tree(struct view *view)
{
	view->call_tree = true;
	view->sort_cum = true;
	if (view->nodecount < 0)
		view->nodecount = 100;
}

const struct report report_human_tree = {
	.name = "tree",
	.summary = "who called what, from the top down",
	.adjust = adjust_tree,
	.write = tree_write,
};

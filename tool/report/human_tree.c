/* SPDX-License-Identifier: MIT */
/* The call tree of "wick report tree": who called what, from the top down. */
#include <errno.h>

#include "base/error.h"
#include "base/sink.h"
#include "report/graphview.h"
#include "report/human.h"
#include "report/number.h"
#include "report/report.h"
#include "report/reports.h"
#include "term/colour.h"

enum { BAR = 8, NUMBERS = 28, DEEPEST = 400 };

struct tree {
	const struct report_context *c;
	const struct trimmed *t;
	struct sink *out;
	bool *called; /* by node: an edge leads to it */
};

static void put_node(const struct tree *t, uint32_t node, unsigned depth,
		     bool inlined)
{
	const struct graph_node *n = &t->t->graph.nodes.at[node];
	const struct report_look *look = t->c->request->look;
	unsigned indent = depth < 30 ? depth : 30;
	unsigned used = BAR + NUMBERS + indent;
	unsigned room = look->width > used + 20 ? look->width - used : 20;

	sink_text(t->out, look->palette->red);
	put_bar(t->out, node_cum(n), t->c->total, BAR);
	sink_format(t->out, "%s ", look->palette->reset);
	put_percent(t->out, node_cum(n), t->c->total);
	sink_char(t->out, ' ');
	put_right(t->out, span_text(value_text(t->c, node_cum(n))), 9);
	sink_char(t->out, ' ');
	put_right(t->out, span_text(value_or_dot(t->c, node_flat(n))), 9);
	sink_char(t->out, ' ');
	sink_repeat(t->out, ' ', indent);
	put_cut(t->out, trimmed_name(t->t, node), room);
	if (inlined)
		sink_format(t->out, " %s(inlined)%s", look->palette->dim,
			    look->palette->reset);
	sink_char(t->out, '\n');
}

/* One level of the walk: the edges of a node, and which is next. */
struct level {
	struct edge_list edges;
	uint32_t next;
};

/* Writes node and all below it; no recursion, since stacks are input. */
static void put_subtree(const struct tree *t, uint32_t node)
{
	struct level levels[DEEPEST];
	unsigned depth = 0;

	put_node(t, node, 0, false);
	levels[0] = (struct level){ edges_out(t->t, node), 0 };
	for (;;) {
		struct level *l = &levels[depth];
		const struct graph_edge *e;

		if (l->next == l->edges.count) {
			if (!depth--)
				return;
			continue;
		}
		e = &t->t->graph.edges.at[l->edges.at[l->next++]];
		if (e->removed)
			continue;
		put_node(t, e->to, depth + 1, e->inlined);
		if (depth + 1 < DEEPEST)
			levels[++depth] = (struct level){
				edges_out(t->t, e->to), 0
			};
	}
}

static int tree_write(struct report_context *c, struct sink *out,
		      struct error *err)
{
	const struct graph_wish wish = { .tree_allowed = true, .edges = true };
	const struct palette *look = c->request->look->palette;
	struct graph_view g = { 0 };
	struct tree t = { .c = c, .t = &g.trimmed, .out = out };
	int r = graph_view_prepare(&g, c, &wish, err);

	if (r == 0)
		r = graph_view_trim(&g, c, &wish, err);
	if (r < 0)
		return r;
	t.called = ARENA_ARRAY(c->arena, bool, g.trimmed.graph.nodes.count);
	if (!t.called)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < g.trimmed.graph.edges.count; i++)
		if (!g.trimmed.graph.edges.at[i].removed)
			t.called[g.trimmed.graph.edges.at[i].to] = true;
	put_human_header(out, c);
	sink_format(out, "%s%*s%6s %9s %9s name%s\n", look->bold, BAR + 1, "",
		    "", "total", "self", look->reset);
	for (uint32_t i = 0; i < g.trimmed.shown_count; i++)
		if (!t.called[g.trimmed.shown[i]])
			put_subtree(&t, g.trimmed.shown[i]);
	return 0;
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

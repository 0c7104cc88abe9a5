/* SPDX-License-Identifier: MIT */
/* top: the functions (or files, lines, …) that most was spent in. */
#include <errno.h>

#include "base/error.h"
#include "base/sink.h"
#include "report/graphview.h"
#include "report/report.h"
#include "report/reports.h"

void adjust_untrimmed_list(struct view *view)
{
	if (view->nodecount < 0)
		view->nodecount = 0;
}

/* Whether any location holds inlined code, without which no edge matters. */
static bool has_inlines(const struct profile *p)
{
	for (uint32_t i = 1; i < p->locations.count; i++)
		if (p->locations.at[i].line_count > 1)
			return true;
	return false;
}

/* Edges tell what was inlined; so only those to code that ever was matter. */
static int limit_edges(struct graph_view *g, struct report_context *c)
{
	const struct nodetab *t = &g->nodes;
	bool *inlined = ARENA_ARRAY(c->arena, bool, t->info.count);

	if (!inlined)
		return -ENOMEM;
	for (uint32_t l = 1; l < c->profile.locations.count; l++)
		for (uint32_t i = t->first[l]; i + 1 < t->first[l + 1]; i++)
			inlined[t->ids.at[i]] = true;
	g->request.edge_targets = inlined;
	return 0;
}

static const char *inline_mark(const struct trimmed *t, uint32_t node)
{
	struct edge_list in = edges_in(t, node);
	bool inlined = false, called = false;

	for (uint32_t i = 0; i < in.count; i++) {
		const struct graph_edge *e = &t->graph.edges.at[in.at[i]];

		if (e->removed)
			continue;
		inlined |= e->inlined;
		called |= !e->inlined;
	}
	if (!inlined)
		return "";
	return called ? " (partial-inline)" : " (inline)";
}

static void put_row(struct sink *out, const struct report_context *c,
		    const struct trimmed *t, uint32_t node, int64_t *sum)
{
	put_node_values(out, c, &t->graph.nodes.at[node], sum);
	sink_text(out, "  ");
	sink_span(out, trimmed_name(t, node));
	sink_text(out, inline_mark(t, node));
	sink_char(out, '\n');
}

static int top_write(struct report_context *c, struct sink *out,
		     struct error *err)
{
	struct graph_wish wish = { .edges = has_inlines(&c->profile) };
	struct graph_view g = { 0 };
	int r = graph_view_prepare(&g, c, &wish, err);
	int64_t sum = 0;

	if (r == 0 && limit_edges(&g, c) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = graph_view_trim(&g, c, &wish, err);
	if (r < 0)
		return r;
	put_graph_header(out, c, &g, false, "\n");
	sink_text(out, "\n      flat  flat%   sum%        cum   cum%\n");
	for (uint32_t i = 0; i < g.trimmed.shown_count; i++)
		put_row(out, c, &g.trimmed, g.trimmed.shown[i], &sum);
	return 0;
}

const struct report report_top = {
	.name = "top",
	.summary = "the entries that most was spent in",
	.adjust = adjust_untrimmed_list,
	.write = top_write,
};

const struct report report_text = {
	.name = "text",
	.summary = "the same as top",
	.adjust = adjust_untrimmed_list,
	.write = top_write,
};

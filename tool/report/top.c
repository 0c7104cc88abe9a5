/* SPDX-License-Identifier: MIT */
/* top: the functions (or files, lines, …) that most was spent in. */
#include <errno.h>

#include "base/error.h"
#include "base/sink.h"
#include "picture/top.h"
#include "report/graphview.h"
#include "report/report.h"
#include "report/reports.h"

void adjust_untrimmed_list(struct view *view)
{
	if (view->nodecount < 0)
		view->nodecount = 0;
}

static void put_row(struct sink *out, const struct report_context *c,
		    const struct trimmed *t, uint32_t node, int64_t *sum)
{
	put_node_values(out, c, &t->graph.nodes.at[node], sum);
	sink_text(out, "  ");
	sink_span(out, trimmed_name(t, node));
	sink_text(out, top_inline_mark(t, node));
	sink_char(out, '\n');
}

static int write_top(struct report_context *c, struct sink *out,
		     struct error *err)
{
	struct graph_wish wish = {
		.edges = top_has_inlines(&c->profile),
		.few_edges = true,
		.callers_only = true,
	};
	struct graph_view g = { 0 };
	int r = graph_view_prepare(&g, c, &wish, err);
	int64_t sum = 0;

	if (r == 0) {
		g.request.edge_targets = top_inlined_nodes(&c->profile,
							   &g.nodes, c->arena);
		if (!g.request.edge_targets)
			r = error_set(err, -ENOMEM, "out of memory");
	}
	if (r == 0)
		r = graph_view_trim(&g, c, &wish, err);
	if (r < 0)
		return r;
	put_graph_header(out, c, &g, false, "\n");
	sink_text(out, "\n" TOP_HEADING);
	for (uint32_t i = 0; i < g.trimmed.shown_count; i++)
		put_row(out, c, &g.trimmed, g.trimmed.shown[i], &sum);
	return 0;
}

const struct report report_top = {
	.name = "top",
	.summary = "the entries that most was spent in",
	.adjust = adjust_untrimmed_list,
	.write = write_top,
};

const struct report report_text = {
	.name = "text",
	.summary = "the same as top",
	.adjust = adjust_untrimmed_list,
	.write = write_top,
};

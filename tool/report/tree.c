/* SPDX-License-Identifier: MIT */
/* tree: every entry between its callers and its callees; peek: some of them. */
#include <errno.h>

#include "base/error.h"
#include "base/sink.h"
#include "profile/number.h"
#include "report/graphview.h"
#include "report/report.h"
#include "report/reports.h"

static const char rule[] = "----------------------------------------------"
			   "------------+-------------\n";

static void put_edges(struct sink *out, const struct report_context *c,
		      const struct trimmed *t, uint32_t node, bool callers)
{
	struct edge_list list = callers ? edges_in(t, node)
					: edges_out(t, node);
	int64_t cum = node_cum(&t->graph.nodes.at[node]);

	for (uint32_t i = 0; i < list.count; i++) {
		const struct graph_edge *e = &t->graph.edges.at[list.at[i]];

		if (e->removed)
			continue;
		put_right(out, span_text(value_text(c, e->weight)), 50);
		sink_format(out, " %s |   ", percent_of(e->weight, cum).text);
		sink_span(out, trimmed_name(t, callers ? e->from : e->to));
		sink_text(out, e->inlined ? " (inline)\n" : "\n");
	}
}

static void put_node(struct sink *out, const struct report_context *c,
		     const struct trimmed *t, uint32_t node, int64_t *sum)
{
	put_node_values(out, c, &t->graph.nodes.at[node], sum);
	sink_text(out, "                | ");
	sink_span(out, trimmed_name(t, node));
	sink_char(out, '\n');
}

/* Only edges of entries that are printed are needed: for peek, few. */
static int limit_edges(struct graph_view *g, struct report_context *c)
{
	const struct nodetab *nodes = &g->nodes;
	bool *ends;

	if (!matcher_active(&c->argument))
		return 0;
	ends = ARENA_ARRAY(c->arena, bool, nodes->info.count);
	if (!ends)
		return -ENOMEM;
	for (uint32_t i = 1; i < nodes->info.count; i++)
		ends[i] = matcher_match_span(
			&c->argument, node_name(&nodes->info.at[i],
						c->profile.strings, c->arena));
	g->request.edge_ends = ends;
	return 0;
}

static int tree_write(struct report_context *c, struct sink *out,
		      struct error *err)
{
	const struct graph_wish wish = { .edges = true };
	struct graph_view g = { 0 };
	const struct trimmed *t = &g.trimmed;
	int r = graph_view_prepare(&g, c, &wish, err);
	int64_t sum = 0;
	uint32_t matched = 0;

	if (r == 0 && limit_edges(&g, c) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = graph_view_trim(&g, c, &wish, err);
	if (r < 0)
		return r;
	put_graph_header(out, c, &g, false, "\n");
	sink_char(out, '\n');
	sink_text(out, rule);
	sink_text(out, "      flat  flat%   sum%        cum   cum%   calls "
		       "calls% + context \t \t \n");
	for (uint32_t i = 0; i < t->shown_count; i++) {
		uint32_t node = t->shown[i];

		if (matcher_active(&c->argument) &&
		    !matcher_match_span(&c->argument, trimmed_name(t, node)))
			continue;
		matched++;
		sink_text(out, rule);
		put_edges(out, c, t, node, true);
		put_node(out, c, t, node, &sum);
		put_edges(out, c, t, node, false);
	}
	if (t->shown_count)
		sink_text(out, rule);
	if (matcher_active(&c->argument) && !matched)
		return error_set(err, -ENOENT,
				 "no matches found for regexp: %s",
				 c->request->argument);
	return 0;
}

static void adjust_untrimmed(struct view *view)
{
	view->trim = false;
}

const struct report report_tree = {
	.name = "tree",
	.summary = "each entry with its callers and callees",
	.write = tree_write,
};

const struct report report_peek = {
	.name = "peek",
	.summary = "callers and callees of the entries that match REGEX",
	.needs_argument = true,
	.adjust = adjust_untrimmed,
	.write = tree_write,
};

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

enum { AHEAD = 16 };

static uint32_t other_end(const struct graph_edge *e, bool callers)
{
	return callers ? e->from : e->to;
}

/* Edges and names are all over memory: asks for those of the next. */
static void ask_ahead(const struct trimmed *t, struct edge_list list,
		      uint32_t first, bool callers)
{
	const struct graph_edge *edges = t->graph.edges.at;
	uint32_t end = list.count - first < AHEAD ? list.count : first + AHEAD;

	for (uint32_t i = first; i < end; i++)
		__builtin_prefetch(&edges[list.at[i]]);
	for (uint32_t i = first; i < end; i++)
		trimmed_ask_name(t, other_end(&edges[list.at[i]], callers));
	for (uint32_t i = first; i < end; i++)
		__builtin_prefetch(
			trimmed_name(t, other_end(&edges[list.at[i]], callers))
				.at);
}

static void put_edge(struct sink *out, const struct report_context *c,
		     const struct trimmed *t, const struct graph_edge *e,
		     bool callers, int64_t cum)
{
	put_right(out, span_text(value_text(c, e->weight)), 50);
	sink_char(out, ' ');
	sink_text(out, percent_of(e->weight, cum).text);
	sink_text(out, " |   ");
	sink_span(out, trimmed_name(t, other_end(e, callers)));
	sink_text(out, e->inlined ? " (inline)\n" : "\n");
}

static void put_edges(struct sink *out, const struct report_context *c,
		      const struct trimmed *t, uint32_t node, bool callers)
{
	struct edge_list list = callers ? edges_in(t, node)
					: edges_out(t, node);
	int64_t cum = node_cum(&t->graph.nodes.at[node]);

	for (uint32_t i = 0; i < list.count; i++) {
		const struct graph_edge *e = &t->graph.edges.at[list.at[i]];

		if (i % AHEAD == 0)
			ask_ahead(t, list, i, callers);
		if (!e->removed)
			put_edge(out, c, t, e, callers, cum);
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

/* Which entries are printed, and how many those are; NULL: out of memory. */
static bool *find_matches(const struct graph_view *g, struct report_context *c,
			  uint32_t *ret_count)
{
	uint32_t count = g->nodes.info.count;
	bool *matches = ARENA_ARRAY(c->arena, bool, count);

	*ret_count = 0;
	for (uint32_t i = 1; matches && i < count; i++) {
		matches[i] = matcher_match_span(
			&c->argument, node_name(&g->nodes.info.at[i],
						c->profile.strings, c->arena));
		*ret_count += matches[i];
	}
	return matches;
}

/* Only edges of entries that are printed are needed: for peek, mostly few. */
static int prepare(struct graph_view *g, struct report_context *c,
		   struct graph_wish *wish, struct error *err)
{
	enum { MANY = 8 };
	uint32_t count;
	int r;

	wish->few_edges = matcher_active(&c->argument);
	r = graph_view_prepare(g, c, wish, err);
	if (r < 0 || !wish->few_edges || g->whole)
		return r;
	g->request.edge_ends = find_matches(g, c, &count);
	if (!g->request.edge_ends)
		return error_set(err, -ENOMEM, "out of memory");
	if (count < g->nodes.info.count / MANY)
		return 0;
	wish->few_edges = false;
	return graph_view_prepare(g, c, wish, err);
}

static int tree_write(struct report_context *c, struct sink *out,
		      struct error *err)
{
	struct graph_wish wish = { .edges = true };
	struct graph_view g = { 0 };
	const struct trimmed *t = &g.trimmed;
	int r = prepare(&g, c, &wish, err);
	int64_t sum = 0;
	uint32_t matched = 0;

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

/* SPDX-License-Identifier: MIT */
/* See graphview.h. */
#include "report/graphview.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "picture/top.h"
#include "profile/unit.h"
#include "report/memo.h"
#include "report/path.h"
#include "report/team.h"

static struct trim_options trim_options_of(const struct report_context *c,
					   const struct graph_wish *wish)
{
	return (struct trim_options){
		.node_fraction = c->view.nodefraction,
		.edge_fraction = c->view.edgefraction,
		.node_count = c->view.nodecount > 0
				      ? (uint32_t)c->view.nodecount
				      : 0,
		.by_cum = c->view.sort_cum,
		.visual = wish->visual ? graph_score_entropy : NULL,
		.tree = wish->tree_allowed && c->view.call_tree,
		.drop_negative = c->view.drop_negative,
		.edges = wish->edges,
		.callees_only = wish->callees_only,
		.callers_only = wish->callers_only,
		.count_tags = wish->count_tags,
		.context = wish->context,
	};
}

int graph_view_describe(struct graph_view *g, const struct report_context *c,
			const struct graph_wish *wish)
{
	const struct stack_order *order = stack_order_of(&c->profile.stacks);

	g->options = context_node_options(c, NULL);
	g->options.object = wish->objects;
	if (g->options.file)
		g->options.files = display_files(&c->profile, &c->view, true,
						 c->arena);
	if (!order || (g->options.file && !g->options.files))
		return -ENOMEM;
	g->trim = trim_options_of(c, wish);
	g->request = (struct graph_request){
		.profile = &c->profile,
		.nodes = &g->nodes,
		.order = order,
		.value = c->value,
		.weights = &g->weights,
		.workers = team_for(order->count),
	};
	return 0;
}

/* From the memo; false: there is nothing there. */
static bool recall(struct graph_view *g, const struct memo_question *q)
{
	const struct memo_entry *known = memo_get(q);

	if (!known)
		return false;
	g->nodes = known->nodes.at;
	g->weights = known->weights.at;
	if (known->whole_kind)
		g->request.known = &known->whole.graph;
	else if (known->graph.nodes.count)
		g->request.known = &known->graph;
	g->request.listed = known->whole_kind ? &known->whole : NULL;
	g->tree = memo_tree(known, &g->trim);
	g->whole = memo_whole(known, &g->trim);
	return true;
}

static int make(struct graph_view *g, struct report_context *c)
{
	int r = nodetab_make(&g->nodes, &c->profile, &g->options, c->arena);

	return r < 0 ? r
		     : stack_weights_make(&g->weights, &c->profile,
					  g->request.order, c->value, c->arena);
}

int graph_view_prepare(struct graph_view *g, struct report_context *c,
		       const struct graph_wish *wish, struct error *err)
{
	const struct memo_question question = {
		.context = c,
		.nodes = &g->options,
		.request = &g->request,
		.trim = &g->trim,
		.few_edges = wish->few_edges,
		.lists_trees = wish->lists_trees,
	};
	int r = graph_view_describe(g, c, wish);

	if (r == 0 && !recall(g, &question))
		r = make(g, c);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

/* The smallest value that will be shown, 0 if all are. */
static int64_t smallest_value(const struct graph_view *g)
{
	const struct trimmed *t = &g->trimmed;
	int64_t least = 0;

	for (uint32_t i = 0; i < t->shown_count; i++) {
		const struct graph_node *n = &t->graph.nodes.at[t->shown[i]];
		int64_t v = magnitude(node_flat(n));

		if (!v)
			v = magnitude(node_cum(n));
		if (v > 0 && (!least || v < least))
			least = v;
	}
	return least;
}

/*
 * "minimum" is one unit for the whole report: that of the smallest value, or of
 * a hundred times it where the values span units, so that it shows as 0.01.
 */
void context_choose_unit(struct report_context *c, int64_t least, bool whole)
{
	int64_t most = c->total;
	double ratio = 1 / c->view.divide_by;
	const char *unit, *largest;
	int64_t hundredfold;

	if (strcmp(c->unit, "minimum") != 0)
		return;
	if (!least)
		least = most;
	if (ratio > 0 && ratio != 1) {
		least = integer_part((double)least * ratio);
		most = integer_part((double)most * ratio);
	}
	hundredfold = (int64_t)((uint64_t)least * 100);
	unit = unit_scale(least, c->sample_unit, "minimum").unit;
	largest = unit_scale(most, c->sample_unit, "minimum").unit;
	if (strcmp(unit, largest) != 0 && hundredfold < most && !whole)
		unit = unit_scale(hundredfold, c->sample_unit, "minimum").unit;
	c->unit = *unit ? unit : c->sample_unit;
}

int graph_view_trim(struct graph_view *g, struct report_context *c,
		    const struct graph_wish *wish, struct error *err)
{
	int r = 0;

	if (g->whole)
		g->trimmed = *g->whole;
	else
		r = trim(&g->trimmed, &g->request, &g->trim, c->arena);
	if (r < 0)
		return error_set(err, r, "out of memory");
	if (g->trimmed.shown_count)
		context_choose_unit(c, smallest_value(g), wish->whole_unit);
	return 0;
}

void put_node_values(struct sink *out, const struct report_context *c,
		     const struct graph_node *n, int64_t *sum)
{
	int64_t flat = node_flat(n), cum = node_cum(n);

	put_top_values(out,
		       &(struct top_values){
			       .flat = flat,
			       .cum = cum,
			       .flat_text = value_text(c, flat),
			       .cum_text = value_text(c, cum),
		       },
		       c->total, sum);
}

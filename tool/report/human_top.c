/* SPDX-License-Identifier: MIT */
/* The table of "wick report top", and the same as JSON. */
#include "base/json.h"
#include "base/sink.h"
#include "profile/number.h"
#include "report/graphview.h"
#include "report/human.h"
#include "report/report.h"
#include "report/reports.h"
#include "term/colour.h"

enum { BAR = 12, NUMBERS = 38, USUAL_ROWS = 25 };

static void put_row(struct sink *out, const struct report_context *c,
		    const struct trimmed *t, uint32_t node)
{
	const struct graph_node *n = &t->graph.nodes.at[node];
	const struct report_look *look = c->request->look;
	int64_t flat = node_flat(n), cum = node_cum(n);
	int64_t shown = c->view.sort_cum ? cum : flat;
	unsigned room = look->width > BAR + NUMBERS + 20
				? look->width - BAR - NUMBERS
				: 20;

	sink_text(out, shown < 0 ? look->palette->green : look->palette->red);
	put_bar(out, shown, c->total, BAR);
	sink_format(out, "%s ", look->palette->reset);
	put_value_right(out, c, flat, 9);
	sink_char(out, ' ');
	put_percent(out, flat, c->total);
	sink_char(out, ' ');
	put_value_right(out, c, cum, 9);
	sink_char(out, ' ');
	put_percent(out, cum, c->total);
	sink_text(out, "  ");
	put_function(out, trimmed_name(t, node), room, c->arena);
	sink_char(out, '\n');
}

static void put_rows(struct sink *out, const struct report_context *c,
		     const struct trimmed *t)
{
	const struct palette *look = c->request->look->palette;

	sink_format(out, "%s%*s%9s %6s %9s %6s  name%s\n", look->bold, BAR + 1,
		    "", "self", "", "total", "", look->reset);
	for (uint32_t i = 0; i < t->shown_count; i++)
		put_row(out, c, t, t->shown[i]);
}

static void put_table(struct sink *out, const struct report_context *c,
		      const struct trimmed *t)
{
	const struct palette *look = c->request->look->palette;
	uint32_t left = t->original_count - t->shown_count + t->dropped_nodes;

	put_human_header(out, c);
	put_rows(out, c, t);
	if (left)
		sink_format(out, "%s%u more; --all shows them%s\n", look->dim,
			    left, look->reset);
}

static void put_json(struct sink *out, const struct report_context *c,
		     const struct trimmed *t)
{
	struct json j = json_to(out);

	json_open(&j, '{');
	json_key(&j, "type");
	json_text(&j, c->type);
	json_key(&j, "unit");
	json_text(&j, c->sample_unit);
	json_key(&j, "total");
	json_int(&j, c->total);
	json_key(&j, "rows");
	json_open(&j, '[');
	for (uint32_t i = 0; i < t->shown_count; i++) {
		const struct graph_node *n = &t->graph.nodes.at[t->shown[i]];

		json_open(&j, '{');
		json_key(&j, "name");
		json_span(&j, trimmed_name(t, t->shown[i]));
		json_key(&j, "flat");
		json_int(&j, node_flat(n));
		json_key(&j, "cum");
		json_int(&j, node_cum(n));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	sink_char(out, '\n');
}

static int make_graph(struct graph_view *g, struct report_context *c,
		      struct error *err)
{
	const struct graph_wish wish = { 0 };
	int r = graph_view_prepare(g, c, &wish, err);

	return r < 0 ? r : graph_view_trim(g, c, &wish, err);
}

static int brief_write(struct report_context *c, struct sink *out,
		       struct error *err)
{
	struct graph_view g = { 0 };
	int r = make_graph(&g, c, err);

	if (r == 0)
		put_rows(out, c, &g.trimmed);
	return r;
}

static int top_write(struct report_context *c, struct sink *out,
		     struct error *err)
{
	struct graph_view g = { 0 };
	int r = make_graph(&g, c, err);

	if (r < 0)
		return r;
	if (c->request->look->json)
		put_json(out, c, &g.trimmed);
	else
		put_table(out, c, &g.trimmed);
	return 0;
}

static void adjust_top(struct view *view)
{
	if (view->nodecount < 0)
		view->nodecount = USUAL_ROWS;
}

const struct report report_human_top = {
	.name = "top",
	.summary = "what most was spent in",
	.adjust = adjust_top,
	.write = top_write,
};

const struct report report_human_brief = {
	.name = "brief",
	.summary = "what most was spent in, without a header",
	.adjust = adjust_top,
	.write = brief_write,
};

/* SPDX-License-Identifier: MIT */
/* list: the source of the functions that match, with what each line took. */
#include <errno.h>

#include "base/error.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "report/graphview.h"
#include "report/number.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/source.h"

enum { MARGIN = 5 }; /* lines around those with samples */

struct listing {
	struct report_context *c;
	struct sink *out;
	struct graph_view g;
	uint32_t *nodes; /* those that match, by function, file and line */
	uint32_t count;
};

/* A run of nodes of one function and file. */
struct group {
	const uint32_t *nodes;
	uint32_t count;
	uint64_t flat;
	uint64_t cum;
	int64_t first_line;
	int64_t last_line;
};

static bool node_before(const void *context, uint32_t a, uint32_t b)
{
	const struct listing *l = context;
	const struct trimmed *t = &l->g.trimmed;
	const struct strtab *s = l->c->profile.strings;
	const struct node_info *x = trimmed_info(t, a);
	const struct node_info *y = trimmed_info(t, b);
	int order = str_compare(s, x->name, y->name);

	if (!order)
		order = str_compare(s, x->file, y->file);
	if (order)
		return order < 0;
	return x->line < y->line;
}

static int find_nodes(struct listing *l, struct error *err)
{
	const struct trimmed *t = &l->g.trimmed;
	uint32_t *scratch = ARENA_ARRAY(l->c->arena, uint32_t,
					(size_t)t->shown_count + 1);

	l->nodes = ARENA_ARRAY(l->c->arena, uint32_t,
			       (size_t)t->shown_count + 1);
	if (!scratch || !l->nodes)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < t->shown_count; i++) {
		str_id name = trimmed_info(t, t->shown[i])->name;

		if (matcher_match(&l->c->argument, name))
			l->nodes[l->count++] = t->shown[i];
	}
	if (!l->count)
		return error_set(err, -ENOENT,
				 "no matches found for regexp: %s",
				 l->c->request->argument);
	sort_ids(l->nodes, scratch, l->count, node_before, l);
	return 0;
}

/* From the function's first line, or some before the first with samples. */
static void measure_group(const struct trimmed *t, struct group *g)
{
	g->first_line = INT64_MAX;
	g->last_line = INT64_MIN;
	for (uint32_t i = 0; i < g->count; i++) {
		const struct graph_node *n = &t->graph.nodes.at[g->nodes[i]];
		const struct node_info *info = trimmed_info(t, g->nodes[i]);
		int64_t start, end;

		g->flat += (uint64_t)n->flat;
		g->cum += (uint64_t)n->cum;
		start = info->start_line;
		if (!start &&
		    __builtin_sub_overflow(info->line, MARGIN, &start))
			start = INT64_MIN;
		if (__builtin_add_overflow(info->line, MARGIN, &end))
			end = INT64_MAX;
		if (start < g->first_line)
			g->first_line = start;
		if (end > g->last_line)
			g->last_line = end;
	}
	if (g->first_line < 1)
		g->first_line = 1;
}

/* What the nodes on one line took; at stands at the first not before it. */
static void sum_line(const struct trimmed *t, const struct group *g,
		     int64_t line, uint32_t *at, uint64_t sums[2])
{
	for (; *at < g->count; (*at)++) {
		const struct graph_node *n = &t->graph.nodes.at[g->nodes[*at]];
		int64_t where = trimmed_info(t, g->nodes[*at])->line;

		if (where > line)
			return;
		if (where < line)
			continue;
		sums[0] += (uint64_t)n->flat;
		sums[1] += (uint64_t)n->cum;
	}
}

static void put_lines(struct listing *l, const struct group *g,
		      const struct source_file *f)
{
	uint32_t at = 0;

	for (int64_t n = g->first_line; n <= g->last_line && n < f->lines.count;
	     n++) {
		uint64_t sums[2] = { 0, 0 };

		sum_line(&l->g.trimmed, g, n, &at, sums);
		put_right(l->out,
			  span_text(value_or_dot(l->c, (int64_t)sums[0])), 10);
		sink_char(l->out, ' ');
		put_right(l->out,
			  span_text(value_or_dot(l->c, (int64_t)sums[1])), 10);
		sink_format(l->out, " %6lld:", (long long)n);
		sink_span(l->out, f->lines.at[n]);
		sink_char(l->out, '\n');
	}
}

static void put_group(struct listing *l, struct group *g)
{
	const struct trimmed *t = &l->g.trimmed;
	const struct strtab *s = l->c->profile.strings;
	const struct node_info *info = trimmed_info(t, g->nodes[0]);
	struct source_file f;
	struct error err;
	int r = source_open(&f, str_text(s, info->file), &l->c->view,
			    l->c->arena, &err);

	measure_group(t, g);
	sink_text(l->out, "ROUTINE ======================== ");
	sink_span(l->out, str_span(s, info->name));
	sink_text(l->out, " in ");
	sink_span(l->out, str_span(s, info->file));
	sink_char(l->out, '\n');
	put_right(l->out, span_text(value_text(l->c, (int64_t)g->flat)), 10);
	sink_char(l->out, ' ');
	put_right(l->out, span_text(value_text(l->c, (int64_t)g->cum)), 10);
	sink_format(l->out, " (flat, cum) %s of Total\n",
		    percent_of((int64_t)g->cum, l->c->total).text);
	if (r < 0) {
		sink_format(l->out, " Error: %s\n", err.text);
		return;
	}
	put_lines(l, g, &f);
	source_release(&f);
}

/* The nodes from first on that have the same function, and file if by_file. */
static uint32_t run_length(const struct listing *l, uint32_t first,
			   bool by_file)
{
	const struct trimmed *t = &l->g.trimmed;
	const struct node_info *x = trimmed_info(t, l->nodes[first]);
	uint32_t i = first;

	for (; i < l->count; i++) {
		const struct node_info *y = trimmed_info(t, l->nodes[i]);

		if (x->name != y->name || (by_file && x->file != y->file))
			break;
	}
	return i - first;
}

static void put_function(struct listing *l, uint32_t first, uint32_t count)
{
	const struct trimmed *t = &l->g.trimmed;
	uint32_t end = first + count;

	/* Nodes without a file come first, and say nothing if others do. */
	if (!trimmed_info(t, l->nodes[first])->file)
		first += run_length(l, first, true);
	if (first == end) {
		sink_text(l->out, "No source information for ");
		sink_span(l->out,
			  str_span(l->c->profile.strings,
				   trimmed_info(t, l->nodes[first - 1])->name));
		sink_char(l->out, '\n');
	}
	while (first < end) {
		struct group g = { .nodes = l->nodes + first,
				   .count = run_length(l, first, true) };

		put_group(l, &g);
		first += g.count;
	}
}

static int list_write(struct report_context *c, struct sink *out,
		      struct error *err)
{
	const struct graph_wish wish = { .objects = true };
	struct listing l = { .c = c, .out = out };
	const char *unit = c->unit;
	int r = graph_view_prepare(&l.g, c, &wish, err);

	if (r == 0)
		r = graph_view_trim(&l.g, c, &wish, err);
	if (r == 0)
		r = find_nodes(&l, err);
	if (r < 0)
		return r;
	/* Each value is shown in the unit that suits it. */
	c->unit = unit;
	sink_format(out, "Total: %s\n", value_text(c, c->total));
	for (uint32_t i = 0; i < l.count;) {
		uint32_t count = run_length(&l, i, false);

		put_function(&l, i, count);
		i += count;
	}
	return 0;
}

static void adjust_list(struct view *view)
{
	view->trim = false;
	view->granularity = GRANULARITY_LINES;
}

const struct report report_list = {
	.name = "list",
	.summary = "the source of functions that match REGEX, line by line",
	.needs_argument = true,
	.adjust = adjust_list,
	.write = list_write,
};

/* SPDX-License-Identifier: MIT */
/* dot: the call graph as graphviz source. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "profile/graph_order.h"
#include "profile/number.h"
#include "profile/unit.h"
#include "report/colour.h"
#include "report/dotedges.h"
#include "report/dotlets.h"
#include "report/dottags.h"
#include "report/graphview.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/shorten.h"

struct dot {
	struct report_context *c;
	struct sink *out;
	struct graph_view g;
	struct node_tags tags;
	struct dot_box *boxes; /* by graph node */
	struct span *names;    /* by node_id, escaped; made when first needed */
	int64_t most_flat;     /* of any node */
};

/* Whether a byte of a text can be written as it is. */
static bool is_plain(uint8_t c)
{
	return c != '\\' && c != '"' && c != '\n';
}

/* Backslashes and quotes are escaped; a new line is a left-justified one. */
static void put_escaped(struct sink *out, struct span text)
{
	size_t at = 0;

	while (at < text.len) {
		size_t end = at;

		while (end < text.len && is_plain(text.at[end]))
			end++;
		sink_write(out, text.at + at, end - at);
		if (end == text.len)
			return;
		sink_char(out, '\\');
		sink_char(out, text.at[end] == '\n' ? 'l' : (char)text.at[end]);
		at = end + 1;
	}
}

/* A text as put_escaped() writes it, copied only if that changes it. */
static struct span escaped(struct span text, struct arena *arena)
{
	struct sink copy = sink_to_memory(arena);
	size_t plain = 0;

	while (plain < text.len && is_plain(text.at[plain]))
		plain++;
	if (plain == text.len)
		return text;
	put_escaped(&copy, text);
	return sink_bytes(&copy);
}

static struct span title(const struct report_context *c)
{
	const struct profile *p = &c->profile;
	str_id file = p->mappings.count > 1 ? p->mappings.at[1].file : 0;

	return file ? path_base(str_span(p->strings, file))
		    : (struct span){ 0 };
}

static void put_legend(struct dot *d)
{
	struct sink header = sink_to_memory(d->c->arena);
	size_t first = put_graph_header(&header, d->c, &d->g, true, "\n");
	struct span text = sink_bytes(&header);

	sink_text(d->out, "subgraph cluster_L { \"");
	put_escaped(d->out, span_part(text, 0, first));
	sink_text(d->out, "\" [shape=box fontsize=16 label=\"");
	put_escaped(d->out, text);
	sink_text(d->out, "\\l\"");
	if (title(d->c).len) {
		sink_text(d->out, " tooltip=\"");
		sink_span(d->out, title(d->c));
		sink_char(d->out, '"');
	}
	sink_text(d->out, "] }\n");
}

/* A name in lines: "::" and "." become breaks, but not in Go's "[...]". */
static void put_broken(struct sink *out, struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		struct span rest = span_of(name.at + i, name.len - i);

		if (span_starts(rest, "::")) {
			sink_text(out, "\\n");
			i++;
		} else if (span_starts(rest, "[...]")) {
			sink_text(out, "[…]");
			i += 4;
		} else if (name.at[i] == '.') {
			sink_text(out, "\\n");
		} else {
			put_escaped(out, span_of(name.at + i, 1));
		}
	}
}

/* The parts of a node's name, a line each. */
static void put_name_lines(struct dot *d, const struct node_info *info)
{
	const struct strtab *s = d->c->profile.strings;
	struct span file = path_base(str_span(s, info->file));

	if (info->address)
		sink_format(d->out, "%016llx\\n",
			    (unsigned long long)info->address);
	if (info->name) {
		put_broken(d->out, shorten_function(str_span(s, info->name),
						    d->c->arena));
		sink_text(d->out, "\\n");
	}
	if (info->line) {
		sink_span(d->out, file);
		sink_format(d->out, ":%lld", (long long)info->line);
		if (info->column)
			sink_format(d->out, ":%lld", (long long)info->column);
	} else if (info->file) {
		sink_span(d->out, file);
	} else if (info->name) {
		return;
	} else if (info->object) {
		sink_char(d->out, '[');
		sink_span(d->out, path_base(str_span(s, info->object)));
		sink_char(d->out, ']');
	} else {
		sink_text(d->out, "<unknown>");
	}
	sink_text(d->out, "\\n");
}

static void put_share(struct dot *d, const char *value, int64_t v)
{
	sink_format(d->out, "%s (%s)", value,
		    skip_spaces(percent_of(v, d->c->total).text));
}

/* Between 8 and 24 points; roots, so that small ones can be read. */
static int64_t font_size(const struct dot *d, int64_t flat)
{
	double part;

	if (!d->most_flat || !flat || magnitude(flat) > d->most_flat)
		return 8;
	part = (double)magnitude(flat) / (double)d->most_flat;
	return 8 + integer_part(ceil(16.0 * sqrt(part)));
}

static void put_node(struct dot *d, uint32_t node)
{
	const struct trimmed *t = &d->g.trimmed;
	const struct graph_node *n = &t->graph.nodes.at[node];
	int64_t flat = node_flat(n), cum = node_cum(n);
	const char *flat_text = value_text(d->c, flat);
	const char *cum_text = flat_text;
	double score = (double)cum / (double)magnitude(d->c->total);

	sink_format(d->out, "N%u [label=\"", d->boxes[node].number);
	put_name_lines(d, trimmed_info(t, node));
	if (flat)
		put_share(d, flat_text, flat);
	else
		sink_char(d->out, '0');
	if (cum != flat) {
		cum_text = value_text(d->c, cum);
		sink_text(d->out, flat ? "\\nof " : " of ");
		put_share(d, cum_text, cum);
	}
	sink_format(d->out,
		    "\" id=\"node%u\" fontsize=%lld shape=box tooltip=\"",
		    d->boxes[node].number, (long long)font_size(d, flat));
	sink_write(d->out, d->boxes[node].name, d->boxes[node].name_len);
	sink_format(d->out, " (%s)\" color=\"%s\" fillcolor=\"%s\"]\n",
		    cum_text, score_colour(score, false).text,
		    score_colour(score, true).text);
}

static struct dot_box make_box(struct dot *d, uint32_t node, uint32_t number)
{
	const struct trimmed *t = &d->g.trimmed;
	struct span *name = &d->names[t->graph.nodes.at[node].info];

	if (!name->at)
		*name = escaped(trimmed_name(t, node), d->c->arena);
	return (struct dot_box){ .name = name->at,
				 .name_len = (uint32_t)name->len,
				 .number = number & INT32_MAX };
}

/* Whether an edge leaves a shown node; what it leads to need not be shown. */
static bool is_drawn(struct dot *d, const struct graph_edge *e)
{
	if (e->removed || !d->boxes[e->from].number)
		return false;
	if (!d->boxes[e->to].name)
		d->boxes[e->to] = make_box(d, e->to, 0);
	return true;
}

/* All edges that leave a shown node, the heaviest first. */
static int put_edges(struct dot *d)
{
	const struct trimmed *t = &d->g.trimmed;
	uint32_t *ids = ARENA_ARRAY(d->c->arena, uint32_t,
				    (size_t)t->graph.edges.count + 1);
	uint32_t count = 0;
	int r;

	if (!ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->graph.edges.count; i++)
		if (is_drawn(d, &t->graph.edges.at[i]))
			ids[count++] = i;
	r = graph_sort_edges(t, ids, count, d->c->arena);
	return r < 0 ? r
		     : dot_edges_put(
			       &(struct dot_edges){ .c = d->c,
						    .boxes = d->boxes,
						    .edges = t->graph.edges.at,
						    .ids = ids,
						    .count = count },
			       d->out);
}

static bool has_callees(const struct trimmed *t, uint32_t node)
{
	struct edge_list out = edges_out(t, node);

	for (uint32_t i = 0; i < out.count; i++)
		if (!t->graph.edges.at[out.at[i]].removed)
			return true;
	return false;
}

static int put_graph(struct dot *d)
{
	const struct trimmed *t = &d->g.trimmed;
	int r = 0;

	for (uint32_t i = 0; i < t->shown_count; i++) {
		const struct graph_node *n = &t->graph.nodes.at[t->shown[i]];
		int64_t flat = magnitude(node_flat(n));

		d->boxes[t->shown[i]] = make_box(d, t->shown[i], i + 1);
		if (!i || flat > d->most_flat)
			d->most_flat = flat;
	}
	for (uint32_t i = 0; i < t->shown_count && r >= 0; i++) {
		uint32_t node = t->shown[i];
		struct dotlets lets = {
			.c = d->c,
			.out = d->out,
			.number = d->boxes[node].number,
			.flat = has_callees(t, node),
			.cutoff = t->tag_cutoff,
		};

		put_node(d, node);
		lets.tags = node_tags_get(&d->tags, t, node, &lets.count);
		r = d->tags.error < 0 ? d->tags.error : dotlets_put(&lets);
		d->boxes[node].has_tags = r > 0;
	}
	return r < 0 ? r : put_edges(d);
}

static int prepare(struct dot *d, struct error *err)
{
	const struct graph_wish wish = {
		.visual = true,
		.tree_allowed = true,
		.edges = true,
		.count_tags = node_tags_count,
		.context = &d->tags,
	};
	int r = graph_view_prepare(&d->g, d->c, &wish, err);
	size_t nodes;

	d->tags.most = d->g.trim.node_count;
	if (r == 0)
		r = graph_view_trim(&d->g, d->c, &wish, err);
	if (r < 0)
		return r;
	nodes = d->g.trimmed.graph.nodes.count;
	d->boxes = ARENA_ARRAY(d->c->arena, struct dot_box, nodes);
	d->names = ARENA_ARRAY(d->c->arena, struct span, d->g.nodes.info.count);
	if (!d->boxes || !d->names)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int dot_write(struct report_context *c, struct sink *out,
		     struct error *err)
{
	struct dot d = { .c = c, .out = out, .tags = { .c = c } };
	/* Tags are formatted before the unit of the report is chosen. */
	struct report_context before = *c;
	int r;

	d.tags.c = &before;
	r = prepare(&d, err);
	if (r < 0)
		return r;
	sink_text(out, "digraph \"");
	sink_span(out, title(c).len ? title(c) : span_text("unnamed"));
	sink_text(out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n");
	put_legend(&d);
	if (d.g.trimmed.shown_count)
		r = put_graph(&d);
	sink_text(out, "}\n");
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

const struct report report_dot = {
	.name = "dot",
	.summary = "the call graph as graphviz source",
	.write = dot_write,
};

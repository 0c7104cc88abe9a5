/* SPDX-License-Identifier: MIT */
/* dot: the call graph as graphviz source. */
#include <errno.h>

#include "base/error.h"
#include "base/sink.h"
#include "profile/graph_order.h"
#include "report/dotedges.h"
#include "report/dotescape.h"
#include "report/dotnodes.h"
#include "report/dottags.h"
#include "report/graphview.h"
#include "report/report.h"
#include "report/reports.h"

struct dot {
	struct report_context *c;
	struct sink *out;
	struct graph_view g;
	struct node_tags tags;
	struct dot_box *boxes; /* by graph node */
	struct span *names;    /* by node_id, escaped; made when first needed */
};

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
	dot_put_escaped(d->out, span_part(text, 0, first));
	sink_text(d->out, "\" [shape=box fontsize=16 label=\"");
	dot_put_escaped(d->out, text);
	sink_text(d->out, "\\l\"");
	if (title(d->c).len) {
		sink_text(d->out, " tooltip=\"");
		sink_span(d->out, title(d->c));
		sink_char(d->out, '"');
	}
	sink_text(d->out, "] }\n");
}

static struct dot_box make_box(struct dot *d, uint32_t node, uint32_t number)
{
	const struct trimmed *t = &d->g.trimmed;
	struct span *name = &d->names[t->graph.nodes.at[node].info];

	if (!name->at)
		*name = dot_escaped(trimmed_name(t, node), d->c->arena);
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

static int put_graph(struct dot *d)
{
	const struct trimmed *t = &d->g.trimmed;
	const struct dot_nodes nodes = {
		.c = d->c,
		.t = t,
		.tags = &d->tags,
		.boxes = d->boxes,
	};
	int r = node_tags_collect(&d->tags, t);

	for (uint32_t i = 0; i < t->shown_count; i++)
		d->boxes[t->shown[i]] = make_box(d, t->shown[i], i + 1);
	if (r == 0)
		r = dot_nodes_put(&nodes, d->out);
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

static int put_picture(struct dot *d, struct error *err)
{
	struct span name = title(d->c);
	int r = prepare(d, err);

	if (r < 0)
		return r;
	sink_text(d->out, "digraph \"");
	sink_span(d->out, name.len ? name : span_text("unnamed"));
	sink_text(d->out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n");
	put_legend(d);
	if (d->g.trimmed.shown_count)
		r = put_graph(d);
	sink_text(d->out, "}\n");
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

static int dot_write(struct report_context *c, struct sink *out,
		     struct error *err)
{
	/* Tags are formatted before the unit of the report is chosen. */
	struct report_context before = *c;
	struct dot d = { .c = c, .out = out, .tags = { .c = &before } };
	int r = put_picture(&d, err);

	node_tags_release(&d.tags);
	return r;
}

const struct report report_dot = {
	.name = "dot",
	.summary = "the call graph as graphviz source",
	.write = dot_write,
};

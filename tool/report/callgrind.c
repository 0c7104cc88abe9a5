/* SPDX-License-Identifier: MIT */
/* callgrind: the call graph for KCachegrind and its kin. */
#include <errno.h>

#include "base/error.h"
#include "base/sink.h"
#include "report/callgrind_text.h"
#include "report/callgrind_tree.h"
#include "report/callnames.h"
#include "report/graphview.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/team.h"
#include "report/treetext.h"

struct callgrind {
	const struct report_context *c;
	const struct trimmed *t;
	struct call_names n;
	struct cost_unit unit;
};

/* More than a call takes: two numbers of names, an address, three numbers. */
enum { ROOM = 256 };

static void put_reference(struct sink *out, const char *field, uint32_t number)
{
	char text[ROOM];

	sink_write(out, text,
		   (size_t)(add_reference(text, field, number) - text));
}

static void put_full(const struct callgrind *g, struct sink *out,
		     const char *field, uint32_t number, str_id name)
{
	sink_format(out, "%s(%u) ", field, number);
	sink_span(out, str_span(g->c->profile.strings, name));
}

/* A name by its number, or in full if that is given. */
static void put_name(const struct callgrind *g, struct sink *out,
		     const char *field, uint32_t number, str_id full)
{
	if (!full) {
		put_reference(out, field, number);
		return;
	}
	put_full(g, out, field, number, full);
	sink_char(out, '\n');
}

/* With a number behind it where it has namesakes. */
static void put_callee_name(const struct callgrind *g, struct sink *out,
			    uint32_t node)
{
	const struct namesakes *n = &g->n.namesakes;
	const struct family *f = namesakes_family(n, g->t, node);

	put_full(g, out, "cfn=", g->n.callees[node].name, f->name);
	if (f->count > 1)
		sink_format(out, " [%u/%u]", n->rank[node], f->count);
	sink_char(out, '\n');
}

/* A callee's file and name, at least one of them in full. */
static void put_callee(const struct callgrind *g, struct sink *out,
		       uint32_t node, uint8_t full)
{
	const struct callee *callee = &g->n.callees[node];
	str_id file = trimmed_info(g->t, node)->file;

	put_name(g, out, "cfl=", callee->file, full & FULL_FILE ? file : 0);
	if (full & FULL_NAME)
		put_callee_name(g, out, node);
	else
		put_reference(out, "cfn=", callee->name);
}

static void put_call(const struct callgrind *g, struct sink *out,
		     const struct graph_edge *e, uint8_t full,
		     const struct node_info *before)
{
	const struct callee *callee = &g->n.callees[e->to];
	char text[ROOM];
	char *at = text;

	if (full) {
		put_callee(g, out, e->to, full);
	} else {
		at = add_reference(at, "cfl=", callee->file);
		at = add_reference(at, "cfn=", callee->name);
	}
	at = add_text(at, "calls=0 ");
	at = add_address(at, callee->address, before);
	*at++ = ' ';
	at = add_number(at, callee->line);
	at = add_text(at, "\n* * ");
	at = add_number(at, cost_in_unit(&g->unit, e->weight));
	*at++ = '\n';
	sink_write(out, text, (size_t)(at - text));
}

static void put_calls(const struct callgrind *g, struct sink *out,
		      uint32_t node, const struct node_info *before)
{
	const struct edge_index *calls = &g->t->out;

	for (uint32_t i = calls->first[node]; i < calls->first[node + 1]; i++) {
		const struct graph_edge *e =
			&g->t->graph.edges.at[calls->ids[i]];

		if (!e->removed)
			put_call(g, out, e, g->n.call_full[i], before);
	}
}

enum { NODES_AHEAD = 16, EDGES_AHEAD = 8, CALLEES_AHEAD = 4, MOST_ASKED = 8 };

/*
 * What the node needs first, then its edges, then where they lead.  Always
 * inlined, because gcc drops calls of functions that do nothing but prefetch.
 */
#define ASKING __attribute__((always_inline)) static inline void

ASKING ask_node(const struct callgrind *g, uint32_t node)
{
	__builtin_prefetch(&g->t->graph.nodes.at[node]);
	__builtin_prefetch(&g->t->out.first[node]);
}

ASKING ask_edges(const struct callgrind *g, uint32_t node)
{
	struct edge_list out = edges_out(g->t, node);

	__builtin_prefetch(trimmed_info(g->t, node));
	__builtin_prefetch(&g->n.callees[node]);
	for (uint32_t i = 0; i < out.count && i < MOST_ASKED; i++)
		__builtin_prefetch(&g->t->graph.edges.at[out.at[i]]);
}

ASKING ask_callees(const struct callgrind *g, uint32_t node)
{
	struct edge_list out = edges_out(g->t, node);

	__builtin_prefetch(&g->n.names.number[trimmed_info(g->t, node)->name]);
	for (uint32_t i = 0; i < out.count && i < MOST_ASKED; i++)
		__builtin_prefetch(
			&g->n.callees[g->t->graph.edges.at[out.at[i]].to]);
}

/* Brings near what the entries some places behind this one will need. */
ASKING ask_ahead(const struct callgrind *g, uint32_t place)
{
	const uint32_t *shown = g->t->shown + place;
	uint32_t left = g->t->shown_count - place;

	if (left > NODES_AHEAD)
		ask_node(g, shown[NODES_AHEAD]);
	if (left > EDGES_AHEAD)
		ask_edges(g, shown[EDGES_AHEAD]);
	if (left > CALLEES_AHEAD)
		ask_callees(g, shown[CALLEES_AHEAD]);
}

static void put_names(const struct callgrind *g, struct sink *out,
		      const struct node_info *info, uint32_t file, uint8_t full)
{
	const struct call_names *n = &g->n;

	sink_char(out, '\n');
	put_name(g, out, "ob=", n->objects.number[info->object],
		 full & FULL_OBJECT ? info->object : 0);
	put_name(g, out, "fl=", file, full & FULL_FILE ? info->file : 0);
	put_name(g, out, "fn=", n->names.number[info->name],
		 full & FULL_NAME ? info->name : 0);
}

static const struct node_info *entry_before(const struct trimmed *t,
					    uint32_t place)
{
	return place ? trimmed_info(t, t->shown[place - 1]) : NULL;
}

static void put_node(const struct callgrind *g, struct sink *out,
		     uint32_t place)
{
	const struct trimmed *t = g->t;
	uint32_t node = t->shown[place];
	const struct node_info *info = trimmed_info(t, node);
	const struct node_info *before = entry_before(t, place);
	char text[ROOM];
	char *at;

	if (!before || info->object != before->object ||
	    info->file != before->file || info->name != before->name)
		put_names(g, out, info, g->n.callees[node].file,
			  g->n.entry_full[place]);
	at = add_address(text, info->address, before);
	*at++ = ' ';
	at = add_number(at, info->line);
	*at++ = ' ';
	at = add_number(at, cost_in_unit(&g->unit,
					 node_flat(&t->graph.nodes.at[node])));
	*at++ = '\n';
	sink_write(out, text, (size_t)(at - text));
	put_calls(g, out, node, before);
}

static int put_nodes(void *context, unsigned worker, uint32_t first,
		     uint32_t end, struct sink *out)
{
	const struct callgrind *g = context;

	(void)worker;
	for (uint32_t i = first; i < end && !out->error; i++) {
		ask_ahead(g, i);
		put_node(g, out, i);
	}
	return 0;
}

/* One that is in no memo.  Returns 0, -ENOMEM, or -ENOTSUP: see treetext.h. */
static int write_new_tree(struct graph_view *view, struct report_context *c,
			  struct sink *out)
{
	struct treetext text;
	int r = treetext_make(&text, &view->request, view->trim.by_cum);

	if (r < 0)
		return r;
	r = callgrind_write_tree(&text, c, view->request.workers, out);
	treetext_release(&text);
	return r;
}

/* The same. */
static int write_tree(struct graph_view *view, struct report_context *c,
		      struct sink *out)
{
	if (!view->trim.tree)
		return -ENOTSUP;
	if (view->tree)
		return callgrind_write_tree(view->tree, c,
					    view->request.workers, out);
	return c->memo ? -ENOTSUP : write_new_tree(view, c, out);
}

static int write_graph(struct graph_view *view, struct report_context *c,
		       struct sink *out)
{
	struct callgrind g = { .c = c, .t = &view->trimmed };
	struct parts nodes = { .put = put_nodes, .context = &g };
	int r = call_names_make(&g.n, g.t, c->arena);

	if (r < 0)
		return r;
	g.unit = cost_unit_of(c);
	put_callgrind_header(out, c);
	nodes.end = g.t->shown_count;
	nodes.workers = team_for(g.t->graph.edges.count);
	return parts_write(&nodes, out);
}

static int callgrind_write(struct report_context *c, struct sink *out,
			   struct error *err)
{
	const struct graph_wish wish = {
		.objects = true,
		.tree_allowed = true,
		.edges = true,
		.callees_only = true,
		.whole_unit = true,
		.lists_trees = true,
	};
	struct graph_view view = { 0 };
	int r = graph_view_prepare(&view, c, &wish, err);

	if (r < 0)
		return r;
	r = write_tree(&view, c, out);
	if (r == -ENOTSUP) {
		r = graph_view_trim(&view, c, &wish, err);
		if (r < 0)
			return r;
		r = write_graph(&view, c, out);
	}
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

const struct report report_callgrind = {
	.name = "callgrind",
	.summary = "the call graph in callgrind's format",
	.binary = true,
	.adjust = adjust_by_address,
	.write = callgrind_write,
};

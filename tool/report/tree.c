/* SPDX-License-Identifier: MIT */
/* tree: every entry between its callers and its callees; peek: some of them. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "base/workers.h"
#include "profile/number.h"
#include "report/graphview.h"
#include "report/memo.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/team.h"

static const char rule[] = "----------------------------------------------"
			   "------------+-------------\n";

enum { AHEAD = 16 };

/* An entry that is printed. */
struct row {
	uint32_t node;
	int64_t sum; /* of the rows before it */
};

/* What a worker has for itself. */
struct scribe {
	const struct trimmed *t;
	struct report_context c;
	struct arena arena; /* the context's */
	struct arena names; /* those that are not known, one at a time */
	WORKERS_APART;
};

struct tree {
	const struct trimmed *t;
	struct row *rows;
	uint32_t row_count;
	uint32_t line_count;
	struct scribe *scribes;
};

static uint32_t other_end(const struct graph_edge *e, bool callers)
{
	return callers ? e->from : e->to;
}

/*
 * Edges and names are all over memory: asks for those of the next.  Always
 * inlined, because gcc drops calls of functions that do nothing but prefetch.
 */
__attribute__((always_inline)) static inline void ask_ahead(
	const struct trimmed *t, struct edge_list list, uint32_t first,
	bool callers)
{
	const struct graph_edge *edges = t->graph.edges.at;
	uint32_t end = list.count - first < AHEAD ? list.count : first + AHEAD;

	for (uint32_t i = first; i < end; i++)
		__builtin_prefetch(&edges[list.at[i]]);
	for (uint32_t i = first; i < end; i++)
		trimmed_ask_name(t, other_end(&edges[list.at[i]], callers));
	for (uint32_t i = first; i < end; i++)
		trimmed_ask_text(t, other_end(&edges[list.at[i]], callers));
}

static void put_name(struct scribe *w, struct sink *out, uint32_t node)
{
	sink_span(out, trimmed_name_in(w->t, node, &w->names));
	arena_reset(&w->names);
}

/* " 1.25% |   " */
static void put_share(struct sink *out, int64_t part, int64_t whole)
{
	static const char mark[] = " |   ";
	struct percent p = percent_of(part, whole);
	char text[1 + sizeof(p.text) + sizeof(mark)] = " ";

	memcpy(text + 1, p.text, sizeof(p.text));
	memcpy(text + 1 + p.len, mark, sizeof(mark));
	sink_write(out, text, p.len + sizeof(mark));
}

static void put_edge(struct scribe *w, struct sink *out,
		     const struct graph_edge *e, bool callers, int64_t cum)
{
	put_value_right(out, &w->c, e->weight, 50);
	put_share(out, e->weight, cum);
	put_name(w, out, other_end(e, callers));
	if (e->inlined)
		sink_text(out, " (inline)");
	sink_char(out, '\n');
}

static void put_edges(struct scribe *w, struct sink *out, uint32_t node,
		      bool callers)
{
	const struct trimmed *t = w->t;
	struct edge_list list = callers ? edges_in(t, node)
					: edges_out(t, node);
	int64_t cum = node_cum(&t->graph.nodes.at[node]);

	for (uint32_t i = 0; i < list.count; i++) {
		const struct graph_edge *e = &t->graph.edges.at[list.at[i]];

		if (i % AHEAD == 0)
			ask_ahead(t, list, i, callers);
		if (!e->removed)
			put_edge(w, out, e, callers, cum);
	}
}

static void put_row(struct scribe *w, struct sink *out, struct row row)
{
	const struct graph_node *node = &w->t->graph.nodes.at[row.node];

	sink_text(out, rule);
	put_edges(w, out, row.node, true);
	put_node_values(out, &w->c, node, &row.sum);
	sink_text(out, "                | ");
	put_name(w, out, row.node);
	sink_char(out, '\n');
	put_edges(w, out, row.node, false);
}

static int put_rows(void *context, unsigned worker, uint32_t first,
		    uint32_t end, struct sink *out)
{
	const struct tree *tree = context;
	struct scribe *w = &tree->scribes[worker];

	for (uint32_t i = first; i < end && !out->error; i++)
		put_row(w, out, tree->rows[i]);
	return w->arena.failed || w->names.failed ? -ENOMEM : 0;
}

/* Likewise for the entries that follow one. */
__attribute__((always_inline)) static inline void ask_rows(
	const struct trimmed *t, uint32_t place)
{
	enum { TEXTS_AHEAD = AHEAD / 2 };
	const uint32_t *shown = t->shown + place;
	uint32_t left = t->shown_count - place;

	if (left > AHEAD) {
		trimmed_ask_name(t, shown[AHEAD]);
		__builtin_prefetch(&t->graph.nodes.at[shown[AHEAD]]);
		__builtin_prefetch(&t->in.first[shown[AHEAD]]);
		__builtin_prefetch(&t->out.first[shown[AHEAD]]);
	}
	if (left > TEXTS_AHEAD)
		trimmed_ask_text(t, shown[TEXTS_AHEAD]);
}

/*
 * Which entries are printed.  After that all of them have names, which nobody
 * makes while several read them.
 */
static int find_rows(struct tree *tree, const struct report_context *c)
{
	const struct trimmed *t = tree->t;
	uint64_t sum = 0;

	tree->rows = ARENA_ARRAY(c->arena, struct row, t->shown_count);
	for (uint32_t i = 0; tree->rows && i < t->shown_count; i++) {
		uint32_t node = t->shown[i];
		struct span name;

		ask_rows(t, i);
		name = trimmed_name(t, node);
		if (matcher_active(&c->argument) &&
		    !matcher_match_span(&c->argument, name))
			continue;
		tree->rows[tree->row_count++] = (struct row){ node,
							      (int64_t)sum };
		tree->line_count += edges_in(t, node).count +
				    edges_out(t, node).count;
		sum += (uint64_t)node_flat(&t->graph.nodes.at[node]);
	}
	return c->arena->failed || t->arena->failed ? -ENOMEM : 0;
}

static int find_scribes(struct tree *tree, const struct report_context *c,
			unsigned count)
{
	int r = 0;

	tree->scribes = ARENA_ARRAY(c->arena, struct scribe, count);
	if (!tree->scribes)
		return -ENOMEM;
	for (unsigned i = 0; i < count && r == 0; i++) {
		struct scribe *w = &tree->scribes[i];

		w->t = tree->t;
		r = context_copy(&w->c, c, &w->arena);
	}
	return r;
}

static int put_tree(struct tree *tree, const struct report_context *c,
		    struct sink *out)
{
	const struct parts rows = {
		.end = tree->row_count,
		.workers = team_for(tree->line_count),
		.put = put_rows,
		.context = tree,
	};
	unsigned scribes = workers_parts(rows.workers);
	int r = find_scribes(tree, c, scribes);

	if (r == 0)
		r = parts_write(&rows, out);
	for (unsigned i = 0; tree->scribes && i < scribes; i++) {
		arena_release(&tree->scribes[i].arena);
		arena_release(&tree->scribes[i].names);
	}
	return r;
}

/* Which entries are printed, and how many those are, up to most; NULL: out of
 * memory. */
static bool *find_matches(const struct graph_view *g, struct report_context *c,
			  uint32_t most, uint32_t *ret_count)
{
	uint32_t count = g->nodes.info.count;
	bool *matches = ARENA_ARRAY(c->arena, bool, count);

	*ret_count = 0;
	for (uint32_t i = 1; matches && i < count && *ret_count < most; i++) {
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
	uint32_t many, count;
	int r;

	wish->few_edges = matcher_active(&c->argument);
	r = graph_view_prepare(g, c, wish, err);
	if (r < 0 || !wish->few_edges || g->whole)
		return r;
	many = g->nodes.info.count / MANY;
	g->request.edge_ends = find_matches(g, c, many, &count);
	if (!g->request.edge_ends)
		return error_set(err, -ENOMEM, "out of memory");
	if (count < many)
		return 0;
	wish->few_edges = false;
	g->request.edge_ends = NULL;
	/* All may be known, or worth keeping. */
	return c->memo ? graph_view_prepare(g, c, wish, err) : 0;
}

static int tree_write(struct report_context *c, struct sink *out,
		      struct error *err)
{
	struct graph_wish wish = { .edges = true };
	struct graph_view g = { 0 };
	struct tree tree = { .t = &g.trimmed };
	int r = prepare(&g, c, &wish, err);

	if (r == 0)
		r = graph_view_trim(&g, c, &wish, err);
	if (r < 0)
		return r;
	put_graph_header(out, c, &g, false, "\n");
	sink_char(out, '\n');
	sink_text(out, rule);
	sink_text(out, "      flat  flat%   sum%        cum   cum%   calls "
		       "calls% + context \t \t \n");
	r = find_rows(&tree, c);
	if (r == 0)
		r = put_tree(&tree, c, out);
	if (r < 0)
		return error_set(err, r, "out of memory");
	if (g.trimmed.shown_count)
		sink_text(out, rule);
	if (matcher_active(&c->argument) && !tree.row_count)
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

/* SPDX-License-Identifier: MIT */
/*
 * See dotnodes.h.  Where all of a large graph is shown and samples have labels,
 * what takes long is to find the tags of each node, so workers share the nodes.
 */
#include "report/dotnodes.h"

#include <errno.h>
#include <math.h>

#include "base/sink.h"
#include "base/workers.h"
#include "profile/number.h"
#include "profile/unit.h"
#include "report/colour.h"
#include "report/dotedges.h"
#include "report/dotescape.h"
#include "report/dotlets.h"
#include "report/dottags.h"
#include "report/parts.h"
#include "report/shorten.h"
#include "report/team.h"

struct job;

/* What a worker has for itself. */
struct scribe {
	const struct job *job;
	struct report_context c;
	struct arena arena;   /* the context's */
	struct arena scratch; /* of one node at a time */
	struct tag_list tags;
	WORKERS_APART;
};

struct job {
	const struct dot_nodes *d;
	int64_t most_flat; /* of any node */
	struct scribe scribes[WORKERS_MAX];
};

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
			dot_put_escaped(out, span_of(name.at + i, 1));
		}
	}
}

/* The parts of a node's name, a line each. */
static void put_name_lines(struct scribe *w, struct sink *out,
			   const struct node_info *info)
{
	const struct strtab *s = w->c.profile.strings;
	struct span file = path_base(str_span(s, info->file));

	if (info->address)
		sink_format(out, "%016llx\\n",
			    (unsigned long long)info->address);
	if (info->name) {
		put_broken(out, shorten_function(str_span(s, info->name),
						 &w->scratch));
		sink_text(out, "\\n");
	}
	if (info->line) {
		sink_span(out, file);
		sink_format(out, ":%lld", (long long)info->line);
		if (info->column)
			sink_format(out, ":%lld", (long long)info->column);
	} else if (info->file) {
		sink_span(out, file);
	} else if (info->name) {
		return;
	} else if (info->object) {
		sink_char(out, '[');
		sink_span(out, path_base(str_span(s, info->object)));
		sink_char(out, ']');
	} else {
		sink_text(out, "<unknown>");
	}
	sink_text(out, "\\n");
}

/* A value and what part of the whole it is. */
static void put_share(struct scribe *w, struct sink *out, int64_t value)
{
	sink_format(out, "%s (%s)", value_text(&w->c, value),
		    skip_spaces(percent_of(value, w->c.total).text));
}

/* Between 8 and 24 points; roots, so that small ones can be read. */
static int64_t font_size(int64_t flat, int64_t most)
{
	double part;

	if (!most || !flat || magnitude(flat) > most)
		return 8;
	part = (double)magnitude(flat) / (double)most;
	return 8 + integer_part(ceil(16.0 * sqrt(part)));
}

static void put_node(struct scribe *w, struct sink *out, uint32_t node)
{
	const struct dot_nodes *d = w->job->d;
	const struct dot_box *box = &d->boxes[node];
	const struct graph_node *n = &d->t->graph.nodes.at[node];
	int64_t flat = node_flat(n), cum = node_cum(n);
	double score = (double)cum / (double)magnitude(w->c.total);

	sink_format(out, "N%u [label=\"", box->number);
	put_name_lines(w, out, trimmed_info(d->t, node));
	if (flat)
		put_share(w, out, flat);
	else
		sink_char(out, '0');
	if (cum != flat) {
		sink_text(out, flat ? "\\nof " : " of ");
		put_share(w, out, cum);
	}
	sink_format(out, "\" id=\"node%u\" fontsize=%lld shape=box tooltip=\"",
		    box->number, (long long)font_size(flat, w->job->most_flat));
	sink_write(out, box->name, box->name_len);
	sink_format(out, " (%s)\" color=\"%s\" fillcolor=\"%s\"]\n",
		    value_text(&w->c, cum), score_colour(score, false).text,
		    score_colour(score, true).text);
}

static bool has_callees(const struct trimmed *t, uint32_t node)
{
	struct edge_list out = edges_out(t, node);

	for (uint32_t i = 0; i < out.count; i++)
		if (!t->graph.edges.at[out.at[i]].removed)
			return true;
	return false;
}

static int put_tags(struct scribe *w, struct sink *out, uint32_t node)
{
	const struct dot_nodes *d = w->job->d;
	int r = node_tags_list(d->tags, node, &w->tags);

	if (r < 0 || !w->tags.tags.count)
		return r;
	r = dotlets_put(&(struct dotlets){
		.c = &w->c,
		.scratch = &w->scratch,
		.out = out,
		.tags = w->tags.tags.at,
		.count = w->tags.tags.count,
		.number = d->boxes[node].number,
		.flat = has_callees(d->t, node),
		.cutoff = d->t->tag_cutoff,
	});
	d->boxes[node].has_tags = r > 0;
	return r;
}

static int put_some(void *context, unsigned worker, uint32_t first,
		    uint32_t end, struct sink *out)
{
	struct scribe *w = &((struct job *)context)->scribes[worker];
	const struct trimmed *t = w->job->d->t;
	int r = 0;

	for (uint32_t i = first; i < end && r >= 0 && !out->error; i++) {
		put_node(w, out, t->shown[i]);
		r = put_tags(w, out, t->shown[i]);
		arena_reset(&w->scratch);
	}
	return r < 0 || w->arena.failed ? -ENOMEM : 0;
}

static int64_t most_flat(const struct trimmed *t)
{
	int64_t most = 0;

	for (uint32_t i = 0; i < t->shown_count; i++) {
		const struct graph_node *n = &t->graph.nodes.at[t->shown[i]];
		int64_t flat = magnitude(node_flat(n));

		if (!i || flat > most)
			most = flat;
	}
	return most;
}

/* How much work that is, in what would be stacks elsewhere. */
static uint32_t weight_of(const struct dot_nodes *d)
{
	uint64_t weight = (uint64_t)d->tags->shares.count + d->t->shown_count;

	return weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
}

int dot_nodes_put(const struct dot_nodes *d, struct sink *out)
{
	struct job job = { .d = d, .most_flat = most_flat(d->t) };
	const struct parts nodes = {
		.end = d->t->shown_count,
		.workers = team_for(weight_of(d)),
		.put = put_some,
		.context = &job,
	};
	unsigned count = workers_parts(nodes.workers);
	int r = 0;

	for (unsigned i = 0; i < count && r == 0; i++) {
		struct scribe *w = &job.scribes[i];

		w->job = &job;
		r = context_copy(&w->c, d->c, &w->arena);
	}
	if (r == 0)
		r = parts_write(&nodes, out);
	for (unsigned i = 0; i < count; i++) {
		arena_release(&job.scribes[i].arena);
		arena_release(&job.scribes[i].scratch);
		tag_list_release(&job.scribes[i].tags);
	}
	return r;
}

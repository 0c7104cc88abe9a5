/* SPDX-License-Identifier: MIT */
/* The lines at the head of reports: see graphview.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sink.h"
#include "profile/number.h"
#include "profile/unit.h"
#include "report/graphview.h"

struct header {
	struct sink *out;
	const struct report_context *c;
	const char *line_end;
	uint64_t first_end; /* of out, when the first line stood */
	uint32_t lines;	    /* that stand already */
};

/* Ends the line before, so that the last one is left to the caller. */
static struct sink *next_line(struct header *h)
{
	if (h->lines == 1)
		h->first_end = h->out->total;
	if (h->lines++)
		sink_text(h->out, h->line_end);
	return h->out;
}

static void put_program(struct header *h)
{
	const struct profile *p = &h->c->profile;
	const struct mapping *m;

	if (p->mappings.count < 2)
		return;
	m = &p->mappings.at[1];
	if (m->file) {
		sink_text(next_line(h), "File: ");
		sink_span(h->out, path_base(str_span(p->strings, m->file)));
	}
	if (m->build_id) {
		sink_text(next_line(h), "Build ID: ");
		sink_span(h->out, str_span(p->strings, m->build_id));
	}
}

static void put_comments(struct header *h)
{
	const struct profile *p = &h->c->profile;

	for (uint32_t i = 0; i < p->comments.count; i++) {
		struct span text = str_span(p->strings, p->comments.at[i]);

		if (!span_starts(text, "#"))
			sink_span(next_line(h), text);
	}
}

static void put_time(struct header *h)
{
	int64_t nanos = h->c->profile.header.time_nanos;
	time_t seconds = (time_t)(nanos / 1000000000);
	struct tm tm;
	char text[64];

	if (!nanos)
		return;
	seconds -= nanos % 1000000000 < 0;
	if (localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %Z", &tm))
		sink_format(next_line(h), "Time: %s", text);
}

static void put_duration(struct header *h)
{
	const struct report_context *c = h->c;
	int64_t duration = c->profile.header.duration_nanos;
	struct measure nanos = unit_scale(c->total, c->sample_unit,
					  "nanoseconds");

	if (!duration)
		return;
	sink_format(next_line(h), "Duration: %s, Total samples = %s ",
		    number_label(c->arena, duration, "nanoseconds", "auto"),
		    value_text(c, c->total));
	if (!strcmp(nanos.unit, "ns") && nanos.value != 0)
		sink_format(
			h->out, "(%s)",
			percent_of(integer_part(nanos.value), duration).text);
}

static void put_profile(struct header *h)
{
	const struct profile *p = &h->c->profile;

	put_program(h);
	put_comments(h);
	if (*h->c->type)
		sink_format(next_line(h), "Type: %s", h->c->type);
	if (p->header.doc_url)
		sink_format(next_line(h), "Doc: %s",
			    profile_text(p, p->header.doc_url));
	put_time(h);
	put_duration(h);
}

static void put_filters(struct header *h)
{
	const struct view *v = &h->c->view;
	const struct {
		const char *name;
		const char *value;
	} filters[] = {
		{ "focus", v->focus },	       { "ignore", v->ignore },
		{ "hide", v->hide },	       { "show", v->show },
		{ "show_from", v->show_from }, { "tagfocus", v->tagfocus },
		{ "tagignore", v->tagignore }, { "tagshow", v->tagshow },
		{ "taghide", v->taghide },
	};
	bool first = true;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		size_t room = 80 - strlen(filters[i].name) - 1;
		const char *value = filters[i].value;

		if (!value || !*value)
			continue;
		if (first)
			sink_text(next_line(h), "Active filters:");
		first = false;
		sink_format(next_line(h), "   %s=%.*s%s", filters[i].name,
			    (int)room, value, strlen(value) > room ? "…" : "");
	}
}

static void put_dropped(struct header *h, uint32_t count, const char *what,
			const char *by, double fraction)
{
	int64_t cutoff = magnitude(
		integer_part((double)h->c->total * fraction));

	if (count)
		sink_format(next_line(h), "Dropped %u %s%s (%s <= %s)", count,
			    what, count > 1 ? "s" : "", by,
			    value_text(h->c, cutoff));
}

static int64_t shown_total(const struct trimmed *t)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < t->shown_count; i++)
		total += (uint64_t)node_flat(&t->graph.nodes.at[t->shown[i]]);
	return (int64_t)total;
}

static void put_showing(struct header *h, const struct trimmed *t, bool edges)
{
	const struct report_context *c = h->c;
	int64_t shown = shown_total(t);

	sink_format(next_line(h),
		    "Showing nodes accounting for %s, %s of %s total",
		    value_text(c, shown),
		    skip_spaces(percent_of(shown, c->total).text),
		    value_text(c, c->total));
	if (!c->total)
		return;
	put_dropped(h, t->dropped_nodes, "node", "cum", c->view.nodefraction);
	put_dropped(h, edges ? t->dropped_edges : 0, "edge", "freq",
		    c->view.edgefraction);
	if (t->shown_count && t->shown_count < t->original_count)
		sink_format(next_line(h), "Showing top %u nodes out of %u",
			    t->shown_count, t->original_count);
}

void put_profile_header(struct sink *out, const struct report_context *c,
			const char *line_end)
{
	struct header h = { .out = out, .c = c, .line_end = line_end };

	put_profile(&h);
}

size_t put_graph_header(struct sink *out, const struct report_context *c,
			const struct graph_view *g, bool full,
			const char *line_end)
{
	struct header h = { .out = out, .c = c, .line_end = line_end };
	uint64_t start = out->total;

	if (full || !c->view.compact_labels)
		put_profile(&h);
	put_filters(&h);
	put_showing(&h, &g->trimmed, full);
	if (full)
		sink_text(
			next_line(&h),
			"\nSee https://git.io/JfYMW for how to read the graph");
	return (size_t)((h.lines > 1 ? h.first_end : out->total) - start);
}

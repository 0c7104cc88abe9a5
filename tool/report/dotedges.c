/* SPDX-License-Identifier: MIT */
/*
 * See dotedges.h.  A graph that nothing is cut from has more edges than all
 * else together, so several threads write them.
 */
#include "report/dotedges.h"

#include <errno.h>

#include "base/arena.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "base/workers.h"
#include "profile/trim.h"
#include "report/colour.h"
#include "report/context.h"
#include "report/parts.h"
#include "report/team.h"

/* What all edges of one weight have. */
struct edge_style {
	int64_t weight;
	const char *value; /* the weight as a text; NULL: not chosen yet */
	char looks[80];
};

/* What a worker has for itself. */
struct scribe {
	const struct dot_edges *d;
	struct report_context c;
	struct arena arena; /* of all this */
	struct edge_style style;
	struct sink text; /* used for one edge at a time */
	WORKERS_APART;
};

static void put_box_name(struct sink *out, const struct dot_box *b)
{
	sink_write(out, b->name, b->name_len);
}

/* What two nodes and a value are to be read as. */
static struct span edge_text(struct scribe *w, const struct graph_edge *e)
{
	struct sink *text = &w->text;

	text->used = 0;
	put_box_name(text, &w->d->boxes[e->from]);
	sink_text(text, e->residual ? " ... " : " -> ");
	put_box_name(text, &w->d->boxes[e->to]);
	sink_text(text, " (");
	sink_text(text, w->style.value);
	sink_text(text, ")\"");
	return sink_bytes(text);
}

static int64_t share_of(int64_t total, int64_t weight, int64_t parts)
{
	int64_t product = (int64_t)((uint64_t)weight * (uint64_t)parts);
	int64_t share = magnitude(mean_value(product, total));

	return share < parts ? share : parts;
}

/* How strongly an edge pulls, how wide it is and its colour. */
static void choose_looks(struct edge_style *s, int64_t total)
{
	double score = (double)s->weight / (double)magnitude(total);
	long long pull, width;
	size_t len = 0;

	s->looks[0] = '\0';
	if (!total)
		return;
	pull = share_of(total, s->weight, 100);
	width = share_of(total, s->weight, 5);
	if (pull > 0)
		len += fmt_text(s->looks, sizeof(s->looks), " weight=%lld",
				pull + 1);
	if (width > 0)
		len += fmt_text(s->looks + len, sizeof(s->looks) - len,
				" penwidth=%lld", width + 1);
	fmt_text(s->looks + len, sizeof(s->looks) - len, " color=\"%s\"",
		 score_colour(score, false).text);
}

/* Edges are sorted by weight, and many have the one before's. */
static void choose_style(struct scribe *w, int64_t weight)
{
	if (w->style.value && w->style.weight == weight)
		return;
	w->style.weight = weight;
	w->style.value = value_text(&w->c, weight);
	choose_looks(&w->style, w->c.total);
}

static void put_edge(struct scribe *w, const struct graph_edge *e,
		     struct sink *out)
{
	const struct dot_box *boxes = w->d->boxes;
	struct span text;

	choose_style(w, mean_value(e->weight, e->weight_div));
	text = edge_text(w, e);
	sink_char(out, 'N');
	sink_unsigned(out, boxes[e->from].number, 0);
	sink_text(out, " -> N");
	sink_unsigned(out, boxes[e->to].number, 0);
	sink_text(out, " [label=\" ");
	sink_text(out, w->style.value);
	sink_text(out, e->inlined ? "\\n (inline)\"" : "\"");
	sink_text(out, w->style.looks);
	sink_text(out, " tooltip=\"");
	sink_span(out, text);
	sink_text(out, " labeltooltip=\"");
	sink_span(out, text);
	if (e->residual)
		sink_text(out, " style=\"dotted\"");
	if (boxes[e->from].has_tags)
		sink_text(out, " minlen=2");
	sink_text(out, "]\n");
}

/*
 * Brings near what the edges some places behind this one will need.  Always
 * inlined, because gcc drops calls of functions that do nothing but prefetch.
 */
__attribute__((always_inline)) static inline void ask_ahead(
	const struct dot_edges *d, const uint32_t *ids, uint32_t left)
{
	enum { EDGES_AHEAD = 24, BOXES_AHEAD = 16, NAMES_AHEAD = 8 };
	const struct graph_edge *edges = d->edges;

	if (left <= EDGES_AHEAD)
		return;
	__builtin_prefetch(&edges[ids[EDGES_AHEAD]]);
	__builtin_prefetch(&d->boxes[edges[ids[BOXES_AHEAD]].from]);
	__builtin_prefetch(&d->boxes[edges[ids[BOXES_AHEAD]].to]);
	__builtin_prefetch(d->boxes[edges[ids[NAMES_AHEAD]].from].name);
	__builtin_prefetch(d->boxes[edges[ids[NAMES_AHEAD]].to].name);
}

static int put_some(void *context, unsigned worker, uint32_t first,
		    uint32_t end, struct sink *out)
{
	struct scribe *w = &((struct scribe *)context)[worker];
	const struct dot_edges *d = w->d;

	for (uint32_t i = first; i < end && !out->error; i++) {
		ask_ahead(d, d->ids + i, d->count - i);
		put_edge(w, &d->edges[d->ids[i]], out);
	}
	return w->arena.failed ? -ENOMEM : 0;
}

int dot_edges_put(const struct dot_edges *d, struct sink *out)
{
	struct scribe scribes[WORKERS_MAX] = { 0 };
	const struct parts edges = {
		.end = d->count,
		.workers = team_for(d->count),
		.put = put_some,
		.context = scribes,
	};
	unsigned count = workers_parts(edges.workers);
	int r = 0;

	for (unsigned i = 0; i < count && r == 0; i++) {
		struct scribe *w = &scribes[i];

		w->d = d;
		w->text = sink_to_memory(&w->arena);
		r = context_copy(&w->c, d->c, &w->arena);
	}
	if (r == 0)
		r = parts_write(&edges, out);
	for (unsigned i = 0; i < count; i++)
		arena_release(&scribes[i].arena);
	return r;
}

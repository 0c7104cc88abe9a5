/* SPDX-License-Identifier: MIT */
/* Two profiles side by side: see compare.h. */
#include "report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/idsort.h"
#include "base/json.h"
#include "base/sink.h"
#include "profile/number.h"
#include "profile/profile.h"
#include "report/graphview.h"
#include "report/human.h"
#include "report/report.h"
#include "report/reports.h"
#include "term/colour.h"

/* One function in both profiles. */
struct row {
	str_id name;	   /* in the table of names */
	double value[2];   /* before and after, in the unit of the values */
	double samples[2]; /* how many samples that is */
	double change;	   /* of the value */
	bool chance;	   /* no more than chance explains */
};

/* What is known of one side. */
struct side {
	struct report_context c;
	struct report_request request;
	struct graph_view g;
	struct graph counts; /* the same graph by number of samples */
	double scale;	     /* makes the totals equal */
};

struct comparison {
	const struct compare_request *q;
	struct arena *arena;
	struct strtab names;
	VEC(struct row) rows; /* [0] unused; indexed by name */
	struct side sides[2];
	uint32_t *order;
	uint32_t shown;
	uint32_t hidden; /* changes that may be chance */
};

/* Every sample counts once, whatever it weighs. */
static int count_samples(struct side *s, struct arena *arena)
{
	struct profile ones = s->c.profile;
	struct graph_request q = s->g.request;

	ones.types.count = 1;
	ones.value = ARENA_ARRAY(arena, int64_t, ones.sample_count + 1);
	if (!ones.value)
		return -ENOMEM;
	for (uint32_t i = 0; i < ones.sample_count; i++) {
		const int64_t *v = profile_values(&s->c.profile, i);
		const char *first = profile_text(&s->c.profile,
						 s->c.profile.types.at[0].unit);

		/* Profiles with a count per row say how many samples it is. */
		ones.value[i] = strcmp(first, "count") ? 1 : v[0];
	}
	q.profile = &ones;
	q.value = (struct sample_value){ 0 };
	q.weights = NULL;
	return graph_add_nodes(&s->counts, &q, arena);
}

static int open_side(struct comparison *x, int which, struct error *err)
{
	struct side *s = &x->sides[which];
	const struct graph_wish wish = { 0 };
	int r;

	s->request = (struct report_request){
		.report = &report_human_top,
		.profile = which ? x->q->after : x->q->before,
		.view = x->q->view,
		.look = x->q->look,
	};
	s->scale = 1;
	r = context_make(&s->c, x->arena, &s->request, err);
	if (r < 0)
		return r;
	s->c.view.trim = false;
	r = graph_view_prepare(&s->g, &s->c, &wish, err);
	if (r < 0)
		return r;
	r = graph_add_nodes(&s->g.trimmed.graph, &s->g.request, x->arena);
	if (r == 0)
		r = count_samples(s, x->arena);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

static struct row *get_row(struct comparison *x, struct span name)
{
	/* The empty name is a name too, so ids start at 1 here. */
	str_id id = name.len ? strtab_add_span(&x->names, name)
			     : strtab_add_text(&x->names, "<unknown>");

	while (x->rows.count <= id) {
		struct row *row = VEC_PUSH(&x->rows, x->arena);

		if (!row)
			return NULL;
		row->name = x->rows.count - 1;
	}
	return &x->rows.at[id];
}

static int add_side(struct comparison *x, int which)
{
	struct side *s = &x->sides[which];
	const struct graph *g = &s->g.trimmed.graph;
	bool cum = x->q->view->sort_cum;

	for (uint32_t i = 1; i < g->nodes.count; i++) {
		const struct graph_node *n = &g->nodes.at[i];
		const struct graph_node *k = &s->counts.nodes.at[i];
		struct row *row;

		if (!n->flat && !n->cum)
			continue;
		row = get_row(x, node_name(&s->g.nodes.info.at[n->info],
					   s->c.profile.strings, x->arena));
		if (!row)
			return -ENOMEM;
		row->value[which] += s->scale *
				     (double)(cum ? node_cum(n) : node_flat(n));
		row->samples[which] += (double)(cum ? k->cum : k->flat);
	}
	return 0;
}

/*
 * Samples are counts of independent events, so a count of n is off by sqrt(n);
 * the larger profile's counts weigh less when totals are made equal.
 */
static void judge(struct comparison *x, struct row *row)
{
	double scale = x->sides[0].scale;
	double per_sample[2] = { 0, 0 };
	double noise;

	for (int i = 0; i < 2; i++)
		if (row->samples[i] > 0)
			per_sample[i] = fabs(row->value[i]) / row->samples[i];
	if (per_sample[0] == 0)
		per_sample[0] = per_sample[1] * scale;
	if (per_sample[1] == 0)
		per_sample[1] = per_sample[0] / (scale > 0 ? scale : 1);
	noise = per_sample[0] * per_sample[0] * fmax(row->samples[0], 1) +
		per_sample[1] * per_sample[1] * fmax(row->samples[1], 1);
	row->change = row->value[1] - row->value[0];
	row->chance = fabs(row->change) <= 2 * sqrt(noise);
}

static bool row_before(const void *context, uint32_t a, uint32_t b)
{
	const struct comparison *x = context;
	double ca = fabs(x->rows.at[a].change), cb = fabs(x->rows.at[b].change);

	if (ca != cb)
		return ca > cb;
	return str_compare(&x->names, x->rows.at[a].name, x->rows.at[b].name) <
	       0;
}

static int order_rows(struct comparison *x)
{
	uint32_t count = 0;

	x->order = ARENA_ARRAY(x->arena, uint32_t,
			       2 * (size_t)x->rows.count + 1);
	if (!x->order)
		return -ENOMEM;
	for (uint32_t i = 1; i < x->rows.count; i++) {
		judge(x, &x->rows.at[i]);
		if (x->rows.at[i].chance && !x->q->all)
			x->hidden += x->rows.at[i].change != 0;
		else
			x->order[count++] = i;
	}
	sort_ids(x->order, x->order + count, count, row_before, x);
	x->shown = x->q->most && count > x->q->most ? x->q->most : count;
	return 0;
}

static const char *text_of(const struct comparison *x, double value)
{
	const struct report_context *c = &x->sides[1].c;

	return number_label(x->arena, (int64_t)llround(value), c->sample_unit,
			    "auto");
}

static void put_row(const struct comparison *x, struct sink *out,
		    const struct row *row)
{
	const struct report_look *look = x->q->look;
	double total = (double)x->sides[1].c.total;
	const char *colour = row->change > 0 ? look->palette->red
					     : look->palette->green;
	unsigned room = look->width > 60 ? look->width - 40 : 20;
	char share[32];

	if (row->chance)
		colour = look->palette->dim;
	snprintf(share, sizeof(share), "%+6.1f%%",
		 total > 0 ? 100 * row->change / total : 0);
	sink_format(out, "%s%s%10s ", colour, share, text_of(x, row->change));
	sink_format(out, "%s%9s %9s  ", look->palette->reset,
		    text_of(x, row->value[0]), text_of(x, row->value[1]));
	put_function(out, str_span(&x->names, row->name), room, x->arena);
	sink_text(out, row->chance ? " ~\n" : "\n");
}

static void put_text(const struct comparison *x, struct sink *out)
{
	const struct palette *look = x->q->look->palette;
	const struct report_context *a = &x->sides[0].c, *b = &x->sides[1].c;

	sink_format(out, "%s%s%s: %s before, %s after", look->bold, b->type,
		    look->reset,
		    number_label(x->arena, a->total, a->sample_unit, "auto"),
		    number_label(x->arena, b->total, b->sample_unit, "auto"));
	if (x->sides[0].scale != 1)
		sink_text(out, "; scaled to the same total");
	sink_format(out, "\n%s%7s%10s %9s %9s  name%s\n", look->bold, "",
		    "change", "before", "after", look->reset);
	for (uint32_t i = 0; i < x->shown; i++)
		put_row(x, out, &x->rows.at[x->order[i]]);
	if (!x->shown)
		sink_text(out, "no change that is more than chance\n");
	if (x->hidden)
		sink_format(out,
			    "%s%u changes may be chance; --all shows them%s\n",
			    look->dim, x->hidden, look->reset);
}

static void put_json(const struct comparison *x, struct sink *out)
{
	struct json j = json_to(out);

	json_open(&j, '{');
	json_key(&j, "type");
	json_text(&j, x->sides[1].c.type);
	json_key(&j, "unit");
	json_text(&j, x->sides[1].c.sample_unit);
	json_key(&j, "before");
	json_int(&j, x->sides[0].c.total);
	json_key(&j, "after");
	json_int(&j, x->sides[1].c.total);
	json_key(&j, "rows");
	json_open(&j, '[');
	for (uint32_t i = 0; i < x->shown; i++) {
		const struct row *row = &x->rows.at[x->order[i]];

		json_open(&j, '{');
		json_key(&j, "name");
		json_span(&j, str_span(&x->names, row->name));
		json_key(&j, "before");
		json_int(&j, (int64_t)llround(row->value[0]));
		json_key(&j, "after");
		json_int(&j, (int64_t)llround(row->value[1]));
		json_key(&j, "chance");
		json_bool(&j, row->chance);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	sink_char(out, '\n');
}

static int compare(struct comparison *x, struct error *err)
{
	int r = open_side(x, 0, err);

	if (r == 0)
		r = open_side(x, 1, err);
	if (r < 0)
		return r;
	if (strcmp(x->sides[0].c.sample_unit, x->sides[1].c.sample_unit) != 0)
		return error_set(err, -EINVAL,
				 "the profiles have different units: %s and %s",
				 x->sides[0].c.sample_unit,
				 x->sides[1].c.sample_unit);
	if (!x->q->absolute && x->sides[0].c.total && x->sides[1].c.total)
		x->sides[0].scale = (double)x->sides[1].c.total /
				    (double)x->sides[0].c.total;
	r = add_side(x, 0);
	if (r == 0)
		r = add_side(x, 1);
	if (r == 0)
		r = order_rows(x);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

int compare_write(const struct compare_request *request, struct sink *out,
		  struct error *err)
{
	struct arena arena = { 0 };
	struct comparison x = { .q = request, .arena = &arena };
	int r;

	strtab_init(&x.names, &arena);
	r = compare(&x, err);
	if (r == 0 && request->look->json)
		put_json(&x, out);
	else if (r == 0)
		put_text(&x, out);
	context_release(&x.sides[0].c);
	context_release(&x.sides[1].c);
	arena_release(&arena);
	return r;
}

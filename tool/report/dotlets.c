/* SPDX-License-Identifier: MIT */
/*
 * Tags as boxes: the heaviest few label sets, and below each (or below the node
 * itself) their numbers.  Numbers beyond the heaviest four join the nearest of
 * those, which then stands for a range.
 */
#include "report/dotlets.h"

#include <errno.h>
#include <string.h>

#include "base/fmt.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "profile/number.h"
#include "profile/unit.h"
#include "report/dottags.h"

enum { MOST = 4 };

/* A box to draw: one tag, or a range of numbers. */
struct box {
	struct span name;
	str_id group; /* of the numbers below it */
	int64_t flat;
	int64_t flat_div;
	int64_t cum;
	int64_t cum_div;
};

static struct box box_of(const struct dotlets *d, const struct node_tag *t)
{
	return (struct box){ .name = str_span(d->c->profile.strings, t->name),
			     .group = t->name,
			     .flat = t->flat,
			     .flat_div = t->flat_div,
			     .cum = t->cum,
			     .cum_div = t->cum_div };
}

static bool box_before(const struct dotlets *d, const struct box *x,
		       const struct box *y)
{
	if (!d->flat && magnitude(x->cum) != magnitude(y->cum))
		return magnitude(x->cum) > magnitude(y->cum);
	if (magnitude(x->flat) != magnitude(y->flat))
		return magnitude(x->flat) > magnitude(y->flat);
	return span_compare(x->name, y->name) < 0;
}

/* The boxes that are drawn, in order. */
struct boxes {
	struct box at[MOST];
	uint32_t count;
};

/* Keeps a box if it is among the heaviest. */
static void boxes_add(const struct dotlets *d, struct boxes *b, struct box box)
{
	uint32_t place = b->count;

	while (place > 0 && box_before(d, &box, &b->at[place - 1]))
		place--;
	if (place == MOST)
		return;
	b->count += b->count < MOST;
	for (uint32_t i = b->count - 1; i > place; i--)
		b->at[i] = b->at[i - 1];
	b->at[place] = box;
}

/* The tags of one kind and group. */
struct some_tags {
	bool numeric;
	str_id group; /* of numbers */
};

static bool is_one(const struct dotlets *d, const struct node_tag *t,
		   struct some_tags which)
{
	return t->numeric == which.numeric &&
	       (!t->numeric || t->group == which.group) &&
	       node_tag_shown(t, d->cutoff);
}

/* Keeps the heaviest of them; returns how many there are. */
static uint32_t boxes_collect(const struct dotlets *d, struct boxes *b,
			      struct some_tags which)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < d->count; i++) {
		if (!is_one(d, &d->tags[i], which))
			continue;
		boxes_add(d, b, box_of(d, &d->tags[i]));
		count++;
	}
	return count;
}

static bool tag_before(const void *context, uint32_t a, uint32_t b)
{
	const struct dotlets *d = context;
	const struct box x = box_of(d, &d->tags[a]), y = box_of(d, &d->tags[b]);

	return box_before(d, &x, &y);
}

/* The indexes of count such tags, in order; NULL: out of memory. */
static const uint32_t *sort_tags(const struct dotlets *d,
				 struct some_tags which, uint32_t count)
{
	uint32_t *order = ARENA_ARRAY(d->scratch, uint32_t, 2 * (size_t)count);
	uint32_t found = 0;

	if (!order)
		return NULL;
	for (uint32_t i = 0; i < d->count; i++)
		if (is_one(d, &d->tags[i], which))
			order[found++] = i;
	sort_ids(order, order + count, count, tag_before, d);
	return order;
}

static const char *unit_of(const struct dotlets *d, const struct node_tag *t)
{
	return str_text(d->c->profile.strings, t->unit);
}

static double scaled(const struct dotlets *d, const struct node_tag *t,
		     const struct node_tag *unit)
{
	return unit_scale(t->number, unit_of(d, t), unit_of(d, unit)).value;
}

static double distance(const struct dotlets *d, const struct node_tag *a,
		       const struct node_tag *b)
{
	double gap = scaled(d, b, a) - (double)a->number;

	return gap < 0 ? -gap : gap;
}

/* A range that is growing around one of the heaviest numbers. */
struct range {
	const struct node_tag *centre;
	const struct node_tag *least;
	const struct node_tag *most;
	struct box sum;
	bool several;
};

static void range_add(const struct dotlets *d, struct range *r,
		      const struct node_tag *t)
{
	struct weight flat = { (uint64_t)t->flat, (uint64_t)t->flat_div };
	struct weight cum = { (uint64_t)t->cum, (uint64_t)t->cum_div };

	weight_add(&r->sum.flat, &r->sum.flat_div, flat);
	weight_add(&r->sum.cum, &r->sum.cum_div, cum);
	if (!r->centre) {
		r->centre = r->least = r->most = t;
		return;
	}
	r->several = true;
	if (integer_part(scaled(d, t, r->least)) < r->least->number)
		r->least = t;
	if (integer_part(scaled(d, t, r->most)) > r->most->number)
		r->most = t;
}

static struct span range_name(const struct dotlets *d, const struct range *r)
{
	struct arena *a = d->scratch;
	struct sink text = sink_to_memory(a);

	sink_text(&text, number_label(a, r->least->number, unit_of(d, r->least),
				      "auto"));
	if (r->several)
		sink_format(&text, "..%s",
			    number_label(a, r->most->number,
					 unit_of(d, r->most), "auto"));
	return sink_bytes(&text);
}

static uint32_t nearest(const struct dotlets *d, const struct range *ranges,
			const struct node_tag *t)
{
	uint32_t best = 0;

	for (uint32_t k = 1; k < MOST; k++)
		if (distance(d, t, ranges[k].centre) <
		    distance(d, t, ranges[best].centre))
			best = k;
	return best;
}

/* Joins what is beyond the heaviest few with the nearest of those. */
static bool boxes_collapse(const struct dotlets *d, struct boxes *b,
			   struct some_tags which, uint32_t count)
{
	const uint32_t *order = sort_tags(d, which, count);
	struct range ranges[MOST] = { 0 };

	if (!order)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct node_tag *t = &d->tags[order[i]];

		range_add(d, &ranges[i < MOST ? i : nearest(d, ranges, t)], t);
	}
	*b = (struct boxes){ 0 };
	for (uint32_t i = 0; i < MOST; i++) {
		const struct box *sum = &ranges[i].sum;

		/* From here on only their quotients count. */
		boxes_add(d, b,
			  (struct box){
				  .name = range_name(d, &ranges[i]),
				  .flat = mean_value(sum->flat, sum->flat_div),
				  .cum = mean_value(sum->cum, sum->cum_div),
			  });
	}
	return !d->scratch->failed;
}

struct box_place {
	const char *source; /* the box that it hangs on */
	const char *name;   /* its own, without the index */
	uint32_t index;
	bool dotted;
};

static void put_box(const struct dotlets *d, const struct box_place *where,
		    struct span label, int64_t weight)
{
	const char *text = value_text(d->c, weight);

	sink_format(d->out, "%s_%u [label = \"", where->name, where->index);
	sink_span(d->out, label);
	sink_format(d->out,
		    "\" id=\"%s_%u\" fontsize=8 shape=box3d tooltip=\"%s\"]\n",
		    where->name, where->index, text);
	sink_format(d->out,
		    "%s -> %s_%u [label=\" %s\" weight=100 tooltip=\"%s\" "
		    "labeltooltip=\"%s\"%s]\n",
		    where->source, where->name, where->index, text, text, text,
		    where->dotted ? " style=\"dotted\"" : "");
}

/* The numbers of one group below the box called source. */
static int put_numbers(const struct dotlets *d, str_id group,
		       const char *source)
{
	const struct some_tags which = { .numeric = true, .group = group };
	struct boxes b = { 0 };
	uint32_t count = boxes_collect(d, &b, which);
	char name[40];
	int drawn = 0;

	if (count > MOST && !boxes_collapse(d, &b, which, count))
		return -ENOMEM;
	fmt_text(name, sizeof(name), "N%s", source);
	for (uint32_t i = 0; i < b.count; i++) {
		const struct box *box = &b.at[i];
		int64_t flat = mean_value(box->flat, box->flat_div);
		int64_t cum = mean_value(box->cum, box->cum_div);
		bool own = d->flat || flat == cum;
		struct box_place where = { source, name, i, !own };

		if (!(own ? flat : cum))
			continue;
		put_box(d, &where, box->name, own ? flat : cum);
		drawn = 1;
	}
	return drawn;
}

int dotlets_put(const struct dotlets *d)
{
	struct boxes b = { 0 };
	char node[16], source[32];
	int drawn = 0, r;

	fmt_text(node, sizeof(node), "N%u", d->number);
	(void)boxes_collect(d, &b, (struct some_tags){ 0 }); /* drawn or not */
	for (uint32_t i = 0; i < b.count; i++) {
		const struct box *box = &b.at[i];
		struct box_place where = { node, node, i, false };
		int64_t weight = d->flat ? mean_value(box->flat, box->flat_div)
					 : mean_value(box->cum, box->cum_div);

		if (!weight)
			continue;
		put_box(d, &where, box->name, weight);
		drawn = 1;
		fmt_text(source, sizeof(source), "%s_%u", node, i);
		r = put_numbers(d, box->group, source);
		if (r < 0)
			return r;
	}
	r = put_numbers(d, 0, node);
	return r < 0 ? r : drawn | r;
}

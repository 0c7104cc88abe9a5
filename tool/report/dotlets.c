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

/* A box to draw: one number, or a range of them. */
struct box {
	str_id name;
	int64_t flat;
	int64_t flat_div;
	int64_t cum;
	int64_t cum_div;
};

struct box_order {
	const struct strtab *strings;
	const struct box *boxes;
	bool flat;
};

static bool box_before(const void *context, uint32_t a, uint32_t b)
{
	const struct box_order *o = context;
	const struct box *x = &o->boxes[a], *y = &o->boxes[b];

	if (!o->flat && magnitude(x->cum) != magnitude(y->cum))
		return magnitude(x->cum) > magnitude(y->cum);
	if (magnitude(x->flat) != magnitude(y->flat))
		return magnitude(x->flat) > magnitude(y->flat);
	return str_compare(o->strings, x->name, y->name) < 0;
}

/* A list of boxes and the order they are drawn in. */
struct boxes {
	struct box *at;
	uint32_t *order;
	uint32_t count;
};

static bool boxes_sort(const struct dotlets *d, struct boxes *b)
{
	struct box_order order = { d->c->profile.strings, b->at, d->flat };
	uint32_t *scratch = ARENA_ARRAY(d->c->arena, uint32_t,
					(size_t)b->count + 1);

	b->order = ARENA_ARRAY(d->c->arena, uint32_t, (size_t)b->count + 1);
	if (!scratch || !b->order)
		return false;
	for (uint32_t i = 0; i < b->count; i++)
		b->order[i] = i;
	sort_ids(b->order, scratch, b->count, box_before, &order);
	return true;
}

/* The tags of one kind and group, as boxes; tag_of says which is which. */
static bool boxes_collect(const struct dotlets *d, struct boxes *b,
			  bool numeric, str_id group,
			  const struct node_tag ***ret_tag_of)
{
	const struct node_tag **tag_of = ARENA_ARRAY(
		d->c->arena, const struct node_tag *, (size_t)d->count + 1);

	b->at = ARENA_ARRAY(d->c->arena, struct box, (size_t)d->count + 1);
	if (!tag_of || !b->at)
		return false;
	for (uint32_t i = 0; i < d->count; i++) {
		const struct node_tag *t = &d->tags[i];

		if (t->numeric != numeric || (numeric && t->group != group) ||
		    !node_tag_shown(t, d->cutoff))
			continue;
		tag_of[b->count] = t;
		b->at[b->count++] = (struct box){ t->name, t->flat, t->flat_div,
						  t->cum, t->cum_div };
	}
	*ret_tag_of = tag_of;
	return boxes_sort(d, b);
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

static str_id range_name(const struct dotlets *d, const struct range *r)
{
	struct arena *a = d->c->arena;
	struct sink text = sink_to_memory(a);

	sink_text(&text, number_label(a, r->least->number, unit_of(d, r->least),
				      "auto"));
	if (r->several)
		sink_format(&text, "..%s",
			    number_label(a, r->most->number,
					 unit_of(d, r->most), "auto"));
	return strtab_add_span(d->c->profile.strings, sink_bytes(&text));
}

/* Joins what is beyond the heaviest few with the nearest of those. */
static bool boxes_collapse(const struct dotlets *d, struct boxes *b,
			   const struct node_tag *const *tag_of)
{
	struct range ranges[MOST] = { 0 };

	if (b->count <= MOST)
		return true;
	for (uint32_t i = 0; i < b->count; i++) {
		const struct node_tag *t = tag_of[b->order[i]];
		uint32_t best = i;

		if (i >= MOST) {
			best = 0;
			for (uint32_t k = 1; k < MOST; k++)
				if (distance(d, t, ranges[k].centre) <
				    distance(d, t, ranges[best].centre))
					best = k;
		}
		range_add(d, &ranges[best], t);
	}
	for (uint32_t i = 0; i < MOST; i++) {
		struct box *sum = &ranges[i].sum;

		/* From here on only their quotients count. */
		b->at[i] = (struct box){
			.name = range_name(d, &ranges[i]),
			.flat = mean_value(sum->flat, sum->flat_div),
			.cum = mean_value(sum->cum, sum->cum_div),
		};
	}
	b->count = MOST;
	return boxes_sort(d, b);
}

struct box_place {
	const char *source; /* the box that it hangs on */
	const char *name;   /* its own, without the index */
	uint32_t index;
	bool dotted;
};

static void put_box(const struct dotlets *d, const struct box_place *where,
		    str_id label, int64_t weight)
{
	const char *text = value_text(d->c, weight);

	sink_format(d->out, "%s_%u [label = \"", where->name, where->index);
	sink_span(d->out, str_span(d->c->profile.strings, label));
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
	struct boxes b = { 0 };
	const struct node_tag **tag_of;
	char name[40];
	int drawn = 0;

	fmt_text(name, sizeof(name), "N%s", source);
	if (!boxes_collect(d, &b, true, group, &tag_of) ||
	    !boxes_collapse(d, &b, tag_of))
		return -ENOMEM;
	for (uint32_t i = 0; i < b.count; i++) {
		const struct box *box = &b.at[b.order[i]];
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
	const struct node_tag **tag_of;
	char node[16], source[32];
	int drawn = 0, r;

	if (!d->count)
		return 0;
	fmt_text(node, sizeof(node), "N%u", d->number);
	if (!boxes_collect(d, &b, false, 0, &tag_of))
		return -ENOMEM;
	for (uint32_t i = 0; i < b.count && i < MOST; i++) {
		const struct box *box = &b.at[b.order[i]];
		struct box_place where = { node, node, i, false };
		int64_t weight = d->flat ? mean_value(box->flat, box->flat_div)
					 : mean_value(box->cum, box->cum_div);

		if (!weight)
			continue;
		put_box(d, &where, box->name, weight);
		drawn = 1;
		fmt_text(source, sizeof(source), "%s_%u", node, i);
		r = put_numbers(d, box->name, source);
		if (r < 0)
			return r;
	}
	r = put_numbers(d, 0, node);
	return r < 0 ? r : drawn | r;
}

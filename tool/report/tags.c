/* SPDX-License-Identifier: MIT */
/* tags: how much was spent under each value of each label. */
#include <errno.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "profile/number.h"
#include "report/graphview.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/tabbed.h"

struct tag {
	str_id key;
	str_id value; /* as it is shown */
	int64_t weight;
};

struct tag_table {
	struct report_context *c;
	VEC(struct tag) tags; /* [0] unused; a row with value 0 may be real */
	struct table index;
	uint32_t *order;
};

static struct tag *get_tag(struct tag_table *t, str_id key, str_id value)
{
	uint32_t hash = hash_pair(key, value);
	uint32_t i = table_start(&t->index, hash);
	struct tag *row;
	uint32_t id;

	for (; (id = table_id(&t->index, i, hash)) != TABLE_END;
	     i = table_next(&t->index, i))
		if (id && t->tags.at[id].key == key &&
		    t->tags.at[id].value == value)
			return &t->tags.at[id];
	row = VEC_PUSH(&t->tags, t->c->arena);
	if (!row || !table_add(&t->index, t->c->arena, hash, t->tags.count - 1))
		return NULL;
	*row = (struct tag){ .key = key, .value = value };
	return row;
}

static str_id shown_value(const struct report_context *c, const struct label *l)
{
	if (!l->numeric)
		return l->text;
	return strtab_add_text(c->profile.strings,
			       number_label(c->arena, l->number,
					    key_unit(c, l->key), c->unit));
}

/* Adds up the samples of each label set first: sets are few. */
static int64_t *sum_sets(const struct report_context *c)
{
	const struct profile *p = &c->profile;
	int64_t *sums = ARENA_ARRAY(c->arena, int64_t,
				    p->label_sets.sets.count);

	for (uint32_t i = 0; sums && i < p->sample_count; i++) {
		int64_t *sum = &sums[p->labels[i]];
		int64_t v = profile_values(p, i)[c->value.index];

		*sum = (int64_t)((uint64_t)*sum + (uint64_t)v);
	}
	return sums;
}

static int collect(struct tag_table *t)
{
	const struct profile *p = &t->c->profile;
	const int64_t *sums = sum_sets(t->c);
	bool *used = ARENA_ARRAY(t->c->arena, bool, p->label_sets.sets.count);

	if (!sums || !used || !VEC_RESERVE(&t->tags, t->c->arena, 1))
		return -ENOMEM;
	t->tags.count = 1;
	for (uint32_t i = 0; i < p->sample_count; i++)
		used[p->labels[i]] = true;
	for (uint32_t s = 0; s < p->label_sets.sets.count; s++) {
		uint32_t count;
		const struct label *l = labels_get(&p->label_sets, s, &count);

		for (uint32_t i = 0; used[s] && i < count; i++) {
			struct tag *tag = get_tag(t, l[i].key,
						  shown_value(t->c, &l[i]));

			if (!tag)
				return -ENOMEM;
			tag->weight = (int64_t)((uint64_t)tag->weight +
						(uint64_t)sums[s]);
		}
	}
	return 0;
}

static bool tag_before(const void *context, uint32_t a, uint32_t b)
{
	const struct tag_table *t = context;
	const struct strtab *s = t->c->profile.strings;
	const struct tag *x = &t->tags.at[a], *y = &t->tags.at[b];
	int64_t wa = magnitude(x->weight), wb = magnitude(y->weight);
	int order = str_compare(s, x->key, y->key);

	if (order)
		return order < 0;
	if (wa != wb)
		return wa > wb;
	return str_compare(s, x->value, y->value) < 0;
}

static int sort(struct tag_table *t)
{
	uint32_t count = t->tags.count;
	uint32_t *scratch = ARENA_ARRAY(t->c->arena, uint32_t, count);

	t->order = ARENA_ARRAY(t->c->arena, uint32_t, count);
	if (!scratch || !t->order)
		return -ENOMEM;
	for (uint32_t i = 1; i < count; i++)
		t->order[i - 1] = i;
	sort_ids(t->order, scratch, count - 1, tag_before, t);
	return 0;
}

/* " (3.4%)", if there is a whole to be part of. */
static void put_share(const struct report_context *c, struct sink *text,
		      int64_t weight)
{
	if (c->total > 0)
		sink_format(text, " (%s)", percent_of(weight, c->total).text);
}

/* The tags order[from..to) of one key, in cells. */
static void put_key(const struct tag_table *t, struct sink *text, uint32_t from,
		    uint32_t to)
{
	const struct report_context *c = t->c;
	const struct strtab *s = c->profile.strings;
	uint64_t total = 0;

	for (uint32_t i = from; i < to; i++)
		total += (uint64_t)t->tags.at[t->order[i]].weight;
	sink_span(text, str_span(s, t->tags.at[t->order[from]].key));
	sink_format(text, ":\t Total %s of %s", value_text(c, (int64_t)total),
		    value_text(c, c->total));
	put_share(c, text, (int64_t)total);
	sink_char(text, '\n');
	for (uint32_t i = from; i < to; i++) {
		const struct tag *tag = &t->tags.at[t->order[i]];

		sink_format(text, " \t%s", value_text(c, tag->weight));
		put_share(c, text, tag->weight);
		sink_text(text, ":\t ");
		sink_span(text, str_span(s, tag->value));
		sink_char(text, '\n');
	}
	sink_char(text, '\n');
}

static int tags_write(struct report_context *c, struct sink *out,
		      struct error *err)
{
	struct tag_table t = { .c = c };
	struct sink text = sink_to_memory(c->arena);
	uint32_t count, from = 0;
	int r = collect(&t);

	if (r == 0)
		r = sort(&t);
	if (r < 0)
		return error_set(err, r, "out of memory");
	count = t.tags.count - 1;
	for (uint32_t i = 1; i <= count; i++) {
		if (i < count &&
		    t.tags.at[t.order[i]].key == t.tags.at[t.order[from]].key)
			continue;
		put_key(&t, &text, from, i);
		from = i;
	}
	r = text.error;
	if (r == 0)
		r = put_tabbed(out, sink_bytes(&text), c->arena);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

const struct report report_tags = {
	.name = "tags",
	.summary = "what was spent under each label",
	.write = tags_write,
};

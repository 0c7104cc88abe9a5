/* SPDX-License-Identifier: MIT */
/* See dottags.h. */
#include "report/dottags.h"

#include <errno.h>

#include "base/hash.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "profile/number.h"
#include "report/labelshares.h"
#include "report/nodepaths.h"

/* A tag of any node: numbers that are written alike are one. */
struct tag_name {
	str_id group;
	str_id name;
	str_id unit;
	bool numeric;
};

/* What a label set adds to. */
struct tag_part {
	uint32_t tag;
	int64_t number;
};

struct tag_source {
	uint32_t first;
	uint32_t count;
};

struct collector {
	struct node_tags *n;
	const struct trimmed *t;
	struct arena *scratch;
	struct tag_source *sources; /* by labels_id */
	VEC(struct tag_part) parts;
	VEC(struct tag_name) tags; /* [0] unused */
	struct table index;	   /* of them */
	uint32_t chosen;	   /* nodes */
	uint32_t *place; /* by tag: where in node_tags the current node's is */
	uint32_t *from;	 /* by tag: the sample that its number is of */
};

static bool text_before(const void *context, uint32_t a, uint32_t b)
{
	const struct strtab *s = context;

	return str_compare(s, a, b) < 0;
}

static str_id label_text(struct report_context *c, const struct label *l,
			 struct arena *arena)
{
	struct sink text = sink_to_memory(arena);

	sink_span(&text, str_span(c->profile.strings, l->key));
	sink_char(&text, ':');
	sink_span(&text, str_span(c->profile.strings, l->text));
	return strtab_add_span(c->profile.strings, sink_bytes(&text));
}

/* "key:value" of each string label, sorted, a dot line break between. */
static str_id join_labels(struct report_context *c, const struct label *l,
			  uint32_t count, str_id base, struct arena *arena)
{
	struct sink text = sink_to_memory(arena);
	uint32_t *ids = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)count + 1);
	uint32_t kept = 0;

	for (uint32_t i = 0; ids && i < count; i++)
		if (!l[i].numeric && l[i].key != base)
			ids[kept++] = label_text(c, &l[i], arena);
	if (!kept)
		return 0;
	sort_ids(ids, ids + kept, kept, text_before, c->profile.strings);
	for (uint32_t i = 0; i < kept; i++) {
		if (i)
			sink_text(&text, "\\n");
		sink_span(&text, str_span(c->profile.strings, ids[i]));
	}
	return strtab_add_span(c->profile.strings, sink_bytes(&text));
}

/* The number of a tag; 0: out of memory. */
static uint32_t get_tag(struct collector *x, const struct tag_name *key)
{
	uint32_t hash = hash_u64(hash_mix(key->group, key->name) ^
				 key->numeric);
	uint32_t i = table_start(&x->index, hash);
	struct tag_name *tag;
	uint32_t id;

	for (; (id = table_id(&x->index, i, hash)) != TABLE_END;
	     i = table_next(&x->index, i)) {
		tag = &x->tags.at[id];
		if (id && tag->group == key->group && tag->name == key->name &&
		    tag->numeric == key->numeric)
			return id;
	}
	tag = VEC_PUSH(&x->tags, x->scratch);
	if (!tag || !table_add(&x->index, x->scratch, hash, x->tags.count - 1))
		return 0;
	*tag = *key;
	return x->tags.count - 1;
}

/* False: out of memory. */
static bool add_part(struct collector *x, const struct tag_name *key,
		     int64_t number)
{
	struct tag_part *part = VEC_PUSH(&x->parts, x->scratch);

	if (!part)
		return false;
	*part = (struct tag_part){ get_tag(x, key), number };
	return part->tag != 0;
}

/* Of numbers only those called bytes are shown. */
static bool add_numbers(struct collector *x, str_id group,
			const struct label *l, uint32_t count, str_id bytes)
{
	struct report_context *c = x->n->c;
	struct strtab *strings = c->profile.strings;

	for (uint32_t i = 0; i < count; i++) {
		const char *unit = key_unit(c, bytes);
		struct tag_name key = { .group = group, .numeric = true };

		if (!l[i].numeric || l[i].key != bytes)
			continue;
		key.unit = strtab_add_text(strings, unit);
		key.name = strtab_add_text(
			strings,
			number_label(x->scratch, l[i].number, unit, c->unit));
		if (!add_part(x, &key, l[i].number))
			return false;
	}
	return true;
}

static int find_sources(struct collector *x)
{
	struct report_context *c = x->n->c;
	struct profile *p = &c->profile;
	uint32_t sets = p->label_sets.sets.count;
	str_id base = strtab_find(p->strings, "pprof::base", 11);
	str_id bytes = strtab_find(p->strings, "bytes", 5);

	x->sources = ARENA_ARRAY(x->scratch, struct tag_source, sets);
	(void)VEC_PUSH(&x->tags, x->scratch);
	if (x->scratch->failed)
		return -ENOMEM;
	for (uint32_t s = 1; s < sets; s++) {
		uint32_t count, first = x->parts.count;
		const struct label *l = labels_get(&p->label_sets, s, &count);
		struct tag_name group = {
			.name = join_labels(c, l, count, base, x->scratch),
		};

		if (group.name && !add_part(x, &group, 0))
			return -ENOMEM;
		if (!add_numbers(x, group.name, l, count, bytes))
			return -ENOMEM;
		x->sources[s] = (struct tag_source){ first,
						     x->parts.count - first };
	}
	return x->scratch->failed ? -ENOMEM : 0;
}

/* Those that somebody may ask for: few, unless all are shown. */
static int choose_nodes(struct collector *x)
{
	const struct trimmed *t = x->t;
	uint32_t most = x->n->most;
	uint32_t count = most && most < t->shown_count ? most : t->shown_count;

	x->n->number = ARENA_ARRAY(x->n->c->arena, uint32_t,
				   t->graph.nodes.count);
	x->n->first = ARENA_ARRAY(x->n->c->arena, uint32_t, (size_t)count + 2);
	if (!x->n->number || !x->n->first)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		x->n->number[t->shown[i]] = i + 1;
	x->chosen = count;
	return 0;
}

static void add_sums(struct node_tag *tag, const struct label_share *share)
{
	weight_add(&tag->flat, &tag->flat_div, share->flat);
	weight_add(&tag->cum, &tag->cum_div, share->cum);
}

/* Adds a share to a tag of the node whose tags start at first. */
static bool credit(struct collector *x, uint32_t first,
		   const struct tag_part *part, const struct label_share *share)
{
	struct node_tags *n = x->n;
	const struct tag_name *name = &x->tags.at[part->tag];
	bool known = x->place[part->tag] > first;
	struct node_tag *tag;

	if (!known) {
		tag = VEC_PUSH(&n->tags, n->c->arena);
		if (!tag)
			return false;
		*tag = (struct node_tag){ .group = name->group,
					  .name = name->name,
					  .unit = name->unit,
					  .numeric = name->numeric };
		x->place[part->tag] = n->tags.count;
	}
	tag = &n->tags.at[x->place[part->tag] - 1];
	/* The number is that of the first sample, as samples come. */
	if (!known || share->sample < x->from[part->tag]) {
		tag->number = part->number;
		x->from[part->tag] = share->sample;
	}
	add_sums(tag, share);
	return true;
}

static bool credit_all(struct collector *x, uint32_t first,
		       const struct label_share *share)
{
	struct tag_source source = x->sources[share->set];

	for (uint32_t i = 0; i < source.count; i++)
		if (!credit(x, first, &x->parts.at[source.first + i], share))
			return false;
	return true;
}

static int make_tags(struct collector *x, const struct label_shares *shares)
{
	struct node_tags *n = x->n;

	x->place = ARENA_ARRAY(x->scratch, uint32_t, x->tags.count);
	x->from = ARENA_ARRAY(x->scratch, uint32_t, x->tags.count);
	if (!x->place || !x->from)
		return -ENOMEM;
	for (uint32_t node = 1; node <= x->chosen; node++) {
		uint32_t first = n->tags.count;

		for (uint32_t i = shares->first[node];
		     i < shares->first[node + 1]; i++)
			if (!credit_all(x, first, &shares->at[i]))
				return -ENOMEM;
		n->first[node + 1] = n->tags.count;
	}
	return 0;
}

static int add_up(struct collector *x)
{
	const struct profile *p = &x->n->c->profile;
	uint32_t sets = p->label_sets.sets.count;
	bool *wanted = ARENA_ARRAY(x->scratch, bool, sets);
	struct node_paths paths;
	struct label_shares shares;
	int r = wanted ? 0 : -ENOMEM;

	for (uint32_t s = 0; s < sets && r == 0; s++)
		wanted[s] = x->sources[s].count != 0;
	if (r == 0)
		r = node_paths_make(&paths, x->t, x->n->number, x->scratch);
	if (r == 0)
		r = label_shares_make(&shares, x->n->c, wanted, &paths,
				      x->chosen, x->scratch);
	return r < 0 ? r : make_tags(x, &shares);
}

static int collect(struct node_tags *n, const struct trimmed *t)
{
	struct arena scratch = { 0 };
	struct collector x = { .n = n, .t = t, .scratch = &scratch };
	int r = find_sources(&x);

	if (r == 0 && x.parts.count) {
		r = choose_nodes(&x);
		if (r == 0)
			r = add_up(&x);
	}
	arena_release(&scratch);
	return r;
}

const struct node_tag *node_tags_get(struct node_tags *n,
				     const struct trimmed *t, uint32_t node,
				     uint32_t *ret_count)
{
	uint32_t number;

	if (!n->done)
		n->error = collect(n, t);
	n->done = true;
	*ret_count = 0;
	if (n->error < 0 || !n->number)
		return NULL;
	number = n->number[node];
	*ret_count = n->first[number + 1] - n->first[number];
	return n->tags.at + n->first[number];
}

uint32_t node_tags_count(void *context, const struct trimmed *t, uint32_t node,
			 int64_t cutoff)
{
	uint32_t count, shown = 0;
	const struct node_tag *tag = node_tags_get(context, t, node, &count);

	for (uint32_t i = 0; i < count; i++)
		shown += tag[i].flat && node_tag_shown(&tag[i], cutoff);
	return shown;
}

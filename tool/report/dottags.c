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

/* Which tags there are, and which of them a label set has. */
struct tag_table {
	struct tag_source *sources; /* by labels_id */
	VEC(struct tag_part) parts;
	VEC(struct tag_name) tags; /* [0] unused */
	struct table index;	   /* of them */
};

struct collector {
	struct node_tags *n;
	const struct trimmed *t;
	struct tag_table *table;
	struct arena *arena;   /* of what stays */
	struct arena *scratch; /* of what does not */
	uint32_t chosen;       /* nodes */
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
	struct tag_table *table = x->table;
	uint32_t i = table_start(&table->index, hash);
	struct tag_name *tag;
	uint32_t id;

	for (; (id = table_id(&table->index, i, hash)) != TABLE_END;
	     i = table_next(&table->index, i)) {
		tag = &table->tags.at[id];
		if (id && tag->group == key->group && tag->name == key->name &&
		    tag->numeric == key->numeric)
			return id;
	}
	tag = VEC_PUSH(&table->tags, x->arena);
	if (!tag ||
	    !table_add(&table->index, x->arena, hash, table->tags.count - 1))
		return 0;
	*tag = *key;
	return table->tags.count - 1;
}

/* False: out of memory. */
static bool add_part(struct collector *x, const struct tag_name *key,
		     int64_t number)
{
	struct tag_part *part = VEC_PUSH(&x->table->parts, x->arena);

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
	struct tag_table *table = x->table;
	uint32_t sets = p->label_sets.sets.count;
	str_id base = strtab_find(p->strings, "pprof::base", 11);
	str_id bytes = strtab_find(p->strings, "bytes", 5);

	table->sources = ARENA_ARRAY(x->arena, struct tag_source, sets);
	(void)VEC_PUSH(&table->tags, x->arena);
	if (x->arena->failed)
		return -ENOMEM;
	for (uint32_t s = 1; s < sets; s++) {
		uint32_t count, first = table->parts.count;
		const struct label *l = labels_get(&p->label_sets, s, &count);
		struct tag_name group = {
			.name = join_labels(c, l, count, base, x->scratch),
		};

		if (group.name && !add_part(x, &group, 0))
			return -ENOMEM;
		if (!add_numbers(x, group.name, l, count, bytes))
			return -ENOMEM;
		table->sources[s] = (struct tag_source){
			first,
			table->parts.count - first,
		};
	}
	return x->scratch->failed ? -ENOMEM : 0;
}

/* Those that somebody may ask for: few, unless all are shown. */
static int choose_nodes(struct collector *x)
{
	const struct trimmed *t = x->t;
	uint32_t most = x->n->most;
	uint32_t count = most && most < t->shown_count ? most : t->shown_count;

	x->n->number = ARENA_ARRAY(x->arena, uint32_t, t->graph.nodes.count);
	if (!x->n->number)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		x->n->number[t->shown[i]] = i + 1;
	x->chosen = count;
	return 0;
}

static int add_up(struct collector *x)
{
	const struct profile *p = &x->n->c->profile;
	uint32_t sets = p->label_sets.sets.count;
	bool *wanted = ARENA_ARRAY(x->scratch, bool, sets);
	struct node_paths paths;
	int r = wanted ? 0 : -ENOMEM;

	for (uint32_t s = 0; s < sets && r == 0; s++)
		wanted[s] = x->table->sources[s].count != 0;
	if (r == 0)
		r = node_paths_make(&paths, x->t, x->n->number, x->scratch);
	if (r == 0)
		r = label_shares_make(&x->n->shares, x->n->c, wanted, &paths,
				      x->chosen, x->arena);
	return r;
}

static int collect(struct node_tags *n, const struct trimmed *t)
{
	struct arena scratch = { 0 };
	struct collector x = {
		.n = n,
		.t = t,
		.table = ARENA_NEW(&n->arena, struct tag_table),
		.arena = &n->arena,
		.scratch = &scratch,
	};
	int r = x.table ? find_sources(&x) : -ENOMEM;

	n->table = x.table;
	if (r == 0 && x.table->parts.count) {
		r = choose_nodes(&x);
		if (r == 0)
			r = add_up(&x);
	}
	arena_release(&scratch);
	return r;
}

int node_tags_collect(struct node_tags *n, const struct trimmed *t)
{
	if (!n->done)
		n->error = collect(n, t);
	n->done = true;
	return n->error;
}

void node_tags_release(struct node_tags *n)
{
	tag_list_release(&n->counted);
	arena_release(&n->arena);
	*n = (struct node_tags){ 0 };
}

/* The tag of a part, new if the node has not had it yet; NULL: out of memory.
 */
static struct node_tag *tag_get(struct tag_list *l,
				const struct tag_table *table,
				const struct tag_part *part, uint32_t sample)
{
	const struct tag_name *name = &table->tags.at[part->tag];
	struct node_tag *tag;

	if (l->place[part->tag])
		return &l->tags.at[l->place[part->tag] - 1];
	tag = VEC_PUSH(&l->tags, &l->arena);
	if (!tag)
		return NULL;
	*tag = (struct node_tag){ .tag = part->tag,
				  .group = name->group,
				  .name = name->name,
				  .unit = name->unit,
				  .number = part->number,
				  .sample = sample,
				  .numeric = name->numeric };
	l->place[part->tag] = l->tags.count;
	return tag;
}

/* Adds a share to a tag that its set has. */
static bool credit(struct tag_list *l, const struct tag_table *table,
		   const struct tag_part *part, const struct label_share *share)
{
	struct node_tag *tag = tag_get(l, table, part, share->sample);

	if (!tag)
		return false;
	/* The number is that of the first sample, as samples come. */
	if (share->sample < tag->sample) {
		tag->number = part->number;
		tag->sample = share->sample;
	}
	weight_add(&tag->flat, &tag->flat_div, share->flat);
	weight_add(&tag->cum, &tag->cum_div, share->cum);
	return true;
}

static bool credit_all(struct tag_list *l, const struct tag_table *table,
		       const struct label_share *share)
{
	struct tag_source source = table->sources[share->set];

	for (uint32_t i = 0; i < source.count; i++)
		if (!credit(l, table, &table->parts.at[source.first + i],
			    share))
			return false;
	return true;
}

static void forget_tags(struct tag_list *l)
{
	for (uint32_t i = 0; i < l->tags.count; i++)
		l->place[l->tags.at[i].tag] = 0;
	l->tags.count = 0;
}

int node_tags_list(const struct node_tags *n, uint32_t node, struct tag_list *l)
{
	enum { SHARES_AHEAD = 16 };
	const struct label_shares *s = &n->shares;
	uint32_t number = n->number ? n->number[node] : 0;
	uint32_t end;

	forget_tags(l);
	if (!number)
		return 0;
	if (!l->place)
		l->place = ARENA_ARRAY(&l->arena, uint32_t,
				       n->table->tags.count);
	if (!l->place)
		return -ENOMEM;
	end = s->first[number + 1];
	for (uint32_t i = s->first[number]; i < end; i++) {
		if (end - i > SHARES_AHEAD)
			__builtin_prefetch(
				label_share_get(s, s->order[i + SHARES_AHEAD]));
		if (!credit_all(l, n->table, label_share_get(s, s->order[i])))
			return -ENOMEM;
	}
	return 0;
}

void tag_list_release(struct tag_list *l)
{
	arena_release(&l->arena);
	*l = (struct tag_list){ 0 };
}

uint32_t node_tags_count(void *context, const struct trimmed *t, uint32_t node,
			 int64_t cutoff)
{
	struct node_tags *n = context;
	const struct node_tag *tag;
	uint32_t shown = 0;

	if (node_tags_collect(n, t) == 0)
		n->error = node_tags_list(n, node, &n->counted);
	tag = n->counted.tags.at;
	for (uint32_t i = 0; i < n->counted.tags.count; i++)
		shown += tag[i].flat && node_tag_shown(&tag[i], cutoff);
	return shown;
}

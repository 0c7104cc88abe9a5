/* SPDX-License-Identifier: MIT */
/* See dottags.h. */
#include "report/dottags.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "profile/number.h"

/* The tags that a label set makes. */
struct tag_source {
	str_id group; /* string labels, joined */
	uint32_t first;
	uint32_t count; /* numbers */
};

struct number_tag {
	str_id name;
	str_id unit;
	int64_t number;
};

struct collector {
	struct node_tags *n;
	const struct trimmed *t;
	struct tag_source *sources; /* by labels_id */
	VEC(struct number_tag) numbers;
	uint32_t *edge_to; /* of trees: by node, the edge above + 1 */
	uint32_t *seen;	   /* by node: the sample + 1 it was last met in */
	VEC(frame_id) frames;
};

/* One sample's share. */
struct share {
	struct weight w;
	const struct tag_source *source;
	bool flat;
};

static bool text_before(const void *context, uint32_t a, uint32_t b)
{
	const struct strtab *s = context;

	return str_compare(s, a, b) < 0;
}

static str_id label_text(struct report_context *c, const struct label *l)
{
	struct sink text = sink_to_memory(c->arena);

	sink_span(&text, str_span(c->profile.strings, l->key));
	sink_char(&text, ':');
	sink_span(&text, str_span(c->profile.strings, l->text));
	return strtab_add_span(c->profile.strings, sink_bytes(&text));
}

/* "key:value" of each string label, sorted, a dot line break between. */
static str_id join_labels(struct report_context *c, const struct label *l,
			  uint32_t count, str_id base)
{
	struct sink text = sink_to_memory(c->arena);
	uint32_t *ids = ARENA_ARRAY(c->arena, uint32_t, 2 * (size_t)count + 1);
	uint32_t kept = 0;

	for (uint32_t i = 0; ids && i < count; i++)
		if (!l[i].numeric && l[i].key != base)
			ids[kept++] = label_text(c, &l[i]);
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

/* Of numbers only those called bytes are shown. */
static bool add_numbers(struct collector *x, const struct label *l,
			uint32_t count, str_id bytes)
{
	struct report_context *c = x->n->c;

	for (uint32_t i = 0; i < count; i++) {
		const char *unit = key_unit(c, bytes);
		struct number_tag *tag;

		if (!l[i].numeric || l[i].key != bytes)
			continue;
		tag = VEC_PUSH(&x->numbers, c->arena);
		if (!tag)
			return false;
		tag->number = l[i].number;
		tag->unit = strtab_add_text(c->profile.strings, unit);
		tag->name = strtab_add_text(
			c->profile.strings,
			number_label(c->arena, l[i].number, unit, c->unit));
	}
	return true;
}

/* Returns whether any set makes tags, or a negative errno. */
static int find_sources(struct collector *x)
{
	struct report_context *c = x->n->c;
	struct profile *p = &c->profile;
	uint32_t sets = p->label_sets.sets.count;
	str_id base = strtab_find(p->strings, "pprof::base", 11);
	str_id bytes = strtab_find(p->strings, "bytes", 5);
	int any = 0;

	x->sources = ARENA_ARRAY(c->arena, struct tag_source, sets);
	if (!x->sources)
		return -ENOMEM;
	for (uint32_t s = 1; s < sets; s++) {
		struct tag_source *source = &x->sources[s];
		uint32_t count;
		const struct label *l = labels_get(&p->label_sets, s, &count);

		source->group = join_labels(c, l, count, base);
		source->first = x->numbers.count;
		if (!add_numbers(x, l, count, bytes))
			return -ENOMEM;
		source->count = x->numbers.count - source->first;
		any |= source->group || source->count;
	}
	return c->arena->failed ? -ENOMEM : any;
}

static bool tag_equal(const struct node_tag *a, const struct node_tag *b)
{
	return a->node == b->node && a->numeric == b->numeric &&
	       a->group == b->group && a->name == b->name;
}

static struct node_tag *get_tag(struct node_tags *n, const struct node_tag *key)
{
	uint32_t hash = hash_u64(
		hash_mix((uint64_t)key->node << 32 | key->group, key->name) ^
		key->numeric);
	uint32_t i = table_start(&n->index, hash);
	struct node_tag *row;
	uint32_t id;

	for (; (id = table_id(&n->index, i, hash)) != TABLE_END;
	     i = table_next(&n->index, i))
		if (id && tag_equal(&n->tags.at[id], key))
			return &n->tags.at[id];
	row = VEC_PUSH(&n->tags, n->c->arena);
	if (!row || !table_add(&n->index, n->c->arena, hash, n->tags.count - 1))
		return NULL;
	*row = *key;
	return row;
}

static bool credit_tag(struct node_tags *n, const struct node_tag *key,
		       const struct share *share)
{
	struct node_tag *tag = get_tag(n, key);

	if (!tag)
		return false;
	if (share->flat)
		weight_add(&tag->flat, &tag->flat_div, share->w);
	else
		weight_add(&tag->cum, &tag->cum_div, share->w);
	return true;
}

static bool credit(struct collector *x, uint32_t node,
		   const struct share *share)
{
	const struct tag_source *s = share->source;
	struct node_tag key = { .node = node, .name = s->group };

	if (s->group && !credit_tag(x->n, &key, share))
		return false;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct number_tag *number = &x->numbers.at[s->first + i];

		key = (struct node_tag){ .node = node,
					 .group = s->group,
					 .name = number->name,
					 .unit = number->unit,
					 .number = number->number,
					 .numeric = true };
		if (!credit_tag(x->n, &key, share))
			return false;
	}
	return true;
}

static bool credit_tree(struct collector *x, stack_id stack, struct share share)
{
	uint32_t node = x->t->ends[stack];

	share.flat = true;
	if (node && !credit(x, node, &share))
		return false;
	share.flat = false;
	while (node) {
		uint32_t edge = x->edge_to[node];

		if (!credit(x, node, &share))
			return false;
		node = edge ? x->t->graph.edges.at[edge - 1].from : 0;
	}
	return true;
}

static bool credit_graph(struct collector *x, uint32_t sample,
			 struct share share)
{
	const struct profile *p = &x->n->c->profile;
	const struct nodetab *nodes = x->t->request->nodes;
	uint32_t depth = stack_depth(&p->stacks, p->stack[sample]);

	if (!VEC_RESERVE(&x->frames, x->n->c->arena, depth))
		return false;
	stack_frames(&p->stacks, p->stack[sample], x->frames.at, depth);
	for (uint32_t i = 0; i < depth; i++) {
		location_id l = x->frames.at[i];

		for (uint32_t k = nodes->first[l]; k < nodes->first[l + 1];
		     k++) {
			node_id node = nodes->ids.at[k];

			share.flat = i == 0 && k == nodes->first[l];
			if (share.flat && !credit(x, node, &share))
				return false;
			share.flat = false;
			if (x->seen[node] == sample + 1)
				continue;
			x->seen[node] = sample + 1;
			if (!credit(x, node, &share))
				return false;
		}
	}
	return true;
}

static int collect_samples(struct collector *x)
{
	const struct report_context *c = x->n->c;
	const struct profile *p = &c->profile;

	for (uint32_t i = 0; i < p->sample_count; i++) {
		const int64_t *v = profile_values(p, i);
		struct share share = {
			.w = { (uint64_t)v[c->value.index],
			       c->value.mean ? (uint64_t)v[0] : 0 },
			.source = &x->sources[p->labels[i]],
		};

		if (!share.w.value && !share.w.div)
			continue;
		if (!share.source->group && !share.source->count)
			continue;
		if (x->t->ends ? !credit_tree(x, p->stack[i], share)
			       : !credit_graph(x, i, share))
			return -ENOMEM;
	}
	return 0;
}

static bool node_before(const void *context, uint32_t a, uint32_t b)
{
	const struct node_tags *n = context;

	return n->tags.at[a].node < n->tags.at[b].node;
}

/* Brings the tags of each node together. */
static int sort_by_node(struct node_tags *n, uint32_t nodes)
{
	struct arena *arena = n->c->arena;
	uint32_t count = n->tags.count;
	uint32_t *order = ARENA_ARRAY(arena, uint32_t, count);
	uint32_t *scratch = ARENA_ARRAY(arena, uint32_t, count);
	struct node_tag *sorted = ARENA_ARRAY(arena, struct node_tag, count);

	n->first = ARENA_ARRAY(arena, uint32_t, (size_t)nodes + 2);
	if (arena->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	sort_ids(order, scratch, count, node_before, n);
	for (uint32_t i = 0; i < count; i++) {
		sorted[i] = n->tags.at[order[i]];
		n->first[sorted[i].node + 1]++;
	}
	for (uint32_t i = 0; i <= nodes; i++)
		n->first[i + 1] += n->first[i];
	n->tags.at = sorted;
	n->tags.capacity = count;
	return 0;
}

static int collect(struct node_tags *n, const struct trimmed *t)
{
	struct collector x = { .n = n, .t = t };
	uint32_t nodes = t->graph.nodes.count;
	int r = find_sources(&x);

	if (r <= 0)
		return r;
	x.seen = ARENA_ARRAY(n->c->arena, uint32_t, nodes);
	x.edge_to = ARENA_ARRAY(n->c->arena, uint32_t, nodes);
	if (!x.seen || !x.edge_to || !VEC_RESERVE(&n->tags, n->c->arena, 1))
		return -ENOMEM;
	/* Row 0 belongs to node 0, which is none. */
	n->tags.count = 1;
	for (uint32_t i = 0; i < t->graph.edges.count; i++)
		x.edge_to[t->graph.edges.at[i].to] = i + 1;
	r = collect_samples(&x);
	return r < 0 ? r : sort_by_node(n, nodes);
}

const struct node_tag *node_tags_get(struct node_tags *n,
				     const struct trimmed *t, uint32_t node,
				     uint32_t *ret_count)
{
	if (!n->done)
		n->error = collect(n, t);
	n->done = true;
	*ret_count = 0;
	if (n->error < 0 || !n->first)
		return NULL;
	*ret_count = n->first[node + 1] - n->first[node];
	return n->tags.at + n->first[node];
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

/* SPDX-License-Identifier: MIT */
/* See memo.h. */
#include "report/memo.h"

#include <errno.h>
#include <string.h>

#include "base/xxh64.h"
#include "report/ahead.h"
#include "report/context.h"
#include "report/report.h"

void memo_entry_release(struct memo_entry *e)
{
	struct arena arena;

	if (!e)
		return;
	arena_release(&e->whole_arena);
	/* It is in its own arena. */
	arena = e->arena;
	arena_release(&arena);
}

void memo_release(struct report_memo *m)
{
	for (unsigned i = 0; i < MEMO_ENTRIES; i++)
		memo_entry_release(m->entry[i]);
	ahead_stop(m->ahead);
	*m = (struct report_memo){ 0 };
}

bool memo_is_about(const struct report_context *c)
{
	return !(c->profile.owned & ~(uint32_t)PROFILE_LABELS) &&
	       c->profile.stack == c->request->profile->stack &&
	       c->profile.sample_count == c->request->profile->sample_count;
}

static uint64_t text_key(const char *text)
{
	return text ? xxh64(span_text(text)) : 0;
}

/* All that the nodes depend on. */
static uint64_t nodes_key(const struct memo_question *q)
{
	const struct view *v = &q->context->view;
	const struct node_options *o = q->nodes;
	const uint64_t parts[] = {
		(uint64_t)(o->function | o->file << 1 | o->line << 2 |
			   o->column << 3 | o->address << 4 | o->object << 5 |
			   o->inlines << 6),
		text_key(v->trim_path),
		text_key(v->source_path),
	};

	return xxh64(span_of(parts, sizeof(parts)));
}

/* And their values; never 0. */
uint64_t memo_key(const struct memo_question *q)
{
	const struct sample_value *value = &q->context->value;
	const uint64_t parts[] = { nodes_key(q), value->index, value->mean };

	return xxh64(span_of(parts, sizeof(parts))) | 1;
}

/* What of the options makes a difference; 0: something is cut away. */
static unsigned kind_of(const struct trim_options *o)
{
	if (!o->edges || o->tree || o->visual || o->node_count ||
	    o->node_fraction != 0 || o->edge_fraction != 0)
		return 0;
	return 1 | (unsigned)o->by_cum << 1 | (unsigned)o->drop_negative << 2 |
	       (unsigned)o->callees_only << 3;
}

const struct trimmed *memo_whole(const struct memo_entry *e,
				 const struct trim_options *options)
{
	unsigned kind = kind_of(options);

	return kind && kind == e->whole_kind ? &e->whole : NULL;
}

/* Other graphs of the same nodes need not put their names in order again. */
static void keep_ranks(struct memo_entry *e)
{
	uint32_t count = e->nodes.info.count;
	uint32_t *ranks;

	if (e->nodes.ranks || !e->whole.ranks)
		return;
	ranks = ARENA_ARRAY(&e->arena, uint32_t, count);
	if (ranks)
		memcpy(ranks, e->whole.ranks, count * sizeof(*ranks));
	e->nodes.ranks = ranks;
}

/* From the one there is, if it is only of another kind. */
static int make_whole(struct memo_entry *e, const struct memo_question *q)
{
	struct graph_request *request = &e->whole_request;
	const struct graph *known = e->graph.nodes.count ? &e->graph : NULL;
	struct graph old = e->whole.graph;
	struct arena old_arena = e->whole_arena;
	int r;

	*request = *q->request;
	request->profile = q->context->request->profile;
	request->nodes = &e->nodes;
	request->weights = &e->weights;
	request->known = e->whole_kind ? &old : known;
	e->whole_kind = 0;
	e->whole_arena = (struct arena){ 0 };
	r = trim(&e->whole, request, q->trim, &e->whole_arena);
	request->known = known;
	arena_release(&old_arena);
	if (r < 0) {
		arena_release(&e->whole_arena);
		return r;
	}
	e->whole_kind = kind_of(q->trim);
	keep_ranks(e);
	return 0;
}

static int fill(struct memo_entry *e, const struct memo_question *q)
{
	struct graph_request request = *q->request;
	int r = nodetab_make(&e->nodes, request.profile, q->nodes, &e->arena);

	if (r == 0)
		r = stack_weights_make(&e->weights, request.profile,
				       request.order, request.value, &e->arena);
	if (r < 0)
		return r;
	request.nodes = &e->nodes;
	request.weights = &e->weights;
	if (q->few_edges || !kind_of(q->trim))
		return graph_add_nodes(&e->graph, &request, &e->arena);
	/* The nodes come with it, if it is not too much. */
	r = make_whole(e, q);
	if (r < 0 && r != -E2BIG)
		return r;
	request.known = r == 0 ? &e->whole.graph : NULL;
	return graph_add_nodes(&e->graph, &request, &e->arena);
}

struct memo_entry *memo_entry_make(const struct memo_question *q)
{
	struct arena arena = { 0 };
	struct memo_entry *e = ARENA_NEW(&arena, struct memo_entry);

	if (!e)
		return NULL;
	e->arena = arena;
	e->key = memo_key(q);
	e->nodes_key = nodes_key(q);
	if (fill(e, q) == 0)
		return e;
	memo_entry_release(e);
	return NULL;
}

static struct memo_entry *find(const struct report_memo *m, uint64_t key)
{
	for (unsigned i = 0; i < MEMO_ENTRIES; i++)
		if (m->entry[i] && m->entry[i]->key == key)
			return m->entry[i];
	return NULL;
}

/* Whole graphs cost most, so others go first. */
static unsigned place_to_clear(struct report_memo *m)
{
	unsigned place = m->next;

	for (unsigned i = 0; i < MEMO_ENTRIES; i++) {
		place = (m->next + i) % MEMO_ENTRIES;
		if (!m->entry[place] || !m->entry[place]->whole_kind)
			break;
	}
	m->next = (place + 1) % MEMO_ENTRIES;
	return place;
}

/* Keeps e, instead of the one of the same key or else of an old one. */
static void keep(struct report_memo *m, struct memo_entry *e)
{
	unsigned place = 0;

	while (place < MEMO_ENTRIES &&
	       !(m->entry[place] && m->entry[place]->key == e->key))
		place++;
	if (place == MEMO_ENTRIES)
		place = place_to_clear(m);
	memo_entry_release(m->entry[place]);
	m->entry[place] = e;
}

const struct nodetab *memo_nodes(const struct memo_question *q)
{
	const uint32_t tables = PROFILE_LOCATIONS | PROFILE_FUNCTIONS |
				PROFILE_MAPPINGS;
	struct report_memo *m = q->context->request->memo;
	struct memo_entry *made;

	if (!m || q->context->profile.owned & tables)
		return NULL;
	for (unsigned i = 0; i < MEMO_ENTRIES; i++)
		if (m->entry[i] && m->entry[i]->nodes_key == nodes_key(q))
			return &m->entry[i]->nodes;
	made = ahead_take(m->ahead, memo_key(q), false);
	if (made)
		keep(m, made);
	return made ? &made->nodes : NULL;
}

const struct memo_entry *memo_get(const struct memo_question *q)
{
	struct report_memo *m = q->context->request->memo;
	bool edges = kind_of(q->trim) != 0;
	struct memo_entry *e, *other;

	if (!m || !memo_is_about(q->context))
		return NULL;
	e = find(m, memo_key(q));
	if (e && (!edges || memo_whole(e, q->trim)))
		return e;
	other = ahead_take(m->ahead, memo_key(q), edges && !q->few_edges);
	if (other) {
		keep(m, other);
		e = other;
	}
	if (e && edges && !q->few_edges && !memo_whole(e, q->trim) &&
	    make_whole(e, q) < 0)
		return NULL;
	if (e)
		return e;
	e = memo_entry_make(q);
	if (e)
		keep(m, e);
	return e;
}

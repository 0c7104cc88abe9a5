/* SPDX-License-Identifier: MIT */
/* See memo.h. */
#include "report/memo.h"

#include <errno.h>
#include <string.h>

#include "base/xxh64.h"
#include "report/ahead.h"
#include "report/context.h"

static struct memo_nodes share_nodes(const struct memo_nodes *from)
{
	struct memo_nodes n = *from;

	shared_arena_use(n.in);
	shared_arena_use(n.ranks_in);
	shared_arena_use(n.places_in);
	return n;
}

static void leave_nodes(struct memo_nodes *n)
{
	shared_arena_leave(n->in);
	shared_arena_leave(n->ranks_in);
	shared_arena_leave(n->places_in);
	*n = (struct memo_nodes){ 0 };
}

void memo_entry_release(struct memo_entry *e)
{
	struct arena arena;

	if (!e)
		return;
	arena_release(&e->whole_arena);
	treetext_release(&e->tree);
	leave_nodes(&e->nodes);
	leave_nodes(&e->similar);
	shared_arena_leave(e->weights.in);
	shared_arena_leave(e->graph_in);
	/* It is in its own arena. */
	arena = e->arena;
	arena_release(&arena);
}

void memo_release(struct report_memo *m)
{
	ahead_stop(m->ahead);
	for (unsigned i = 0; i < MEMO_ENTRIES; i++)
		memo_entry_release(m->entry[i]);
	for (unsigned i = 0; i < MEMO_TRAILS; i++)
		trail_release(&m->own_trails.at[i]);
	*m = (struct report_memo){ 0 };
}

static uint64_t text_key(const char *text)
{
	return text ? xxh64(span_text(text)) : 0;
}

/* All that the nodes depend on.  Only if files count, it matters how their
 * names are shortened. */
static uint64_t nodes_key(const struct memo_question *q)
{
	const struct view *v = &q->context->view;
	const struct node_options *o = q->nodes;
	const uint64_t parts[] = {
		(uint64_t)(o->function | o->file << 1 | o->line << 2 |
			   o->column << 3 | o->address << 4 | o->object << 5 |
			   o->inlines << 6),
		o->file ? text_key(v->trim_path) : 0,
		o->file ? text_key(v->source_path) : 0,
	};

	return xxh64(span_of(parts, sizeof(parts)));
}

uint64_t memo_key(const struct memo_question *q)
{
	const struct sample_value *value = &q->context->value;
	const uint64_t parts[] = { nodes_key(q), value->index, value->mean };

	return xxh64(span_of(parts, sizeof(parts))) | 1;
}

static bool is_cut(const struct trim_options *o)
{
	return !o->edges || o->visual || o->node_count ||
	       o->node_fraction != 0 || o->edge_fraction != 0;
}

/* What of the options makes a difference; 0: something is cut away. */
static unsigned kind_of(const struct trim_options *o)
{
	if (is_cut(o) || o->tree)
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

const struct treetext *memo_tree(const struct memo_entry *e,
				 const struct trim_options *options)
{
	return e->tree_state == TREE_READY && options->tree &&
			       options->by_cum == e->tree_by_cum
		       ? &e->tree
		       : NULL;
}

bool memo_wants_tree(const struct memo_question *q)
{
	const struct trim_options *o = q->trim;

	return q->lists_trees && o->tree && !is_cut(o);
}

bool memo_has_whole(const struct memo_entry *e, const struct memo_question *q)
{
	if (memo_wants_tree(q))
		return e->tree_state == TREE_UNFIT || memo_tree(e, q->trim);
	return !kind_of(q->trim) || memo_whole(e, q->trim);
}

/* Other graphs of the same nodes need not put their names in order again. */
static void keep_ranks(struct memo_entry *e)
{
	struct memo_nodes *n = &e->nodes;
	uint32_t count = n->at.info.count;
	uint32_t *ranks = NULL;

	if (n->at.ranks || !e->whole.ranks)
		return;
	/* There is another's if memory ran out before. */
	shared_arena_leave(n->ranks_in);
	n->ranks_in = shared_arena_new();
	if (n->ranks_in)
		ranks = ARENA_ARRAY(&n->ranks_in->arena, uint32_t, count);
	if (ranks)
		memcpy(ranks, e->whole.ranks, count * sizeof(*ranks));
	n->at.ranks = ranks;
}

/* NULL: there is none. */
static const struct trail *find_trail(const struct report_memo *m, uint64_t key)
{
	struct memo_trails *t = m ? m->trails : NULL;
	unsigned count = t ? atomic_load(&t->count) : 0;

	for (unsigned i = 0; i < count; i++)
		if (t->nodes_key[i] == key)
			return &t->at[i];
	return NULL;
}

/* The whole graph has them. */
static void forget_edges(struct memo_entry *e)
{
	struct graph *g = &e->graph;

	if (!g->edges.at)
		return;
	arena_free(&e->graph_in->arena, g->edges.at,
		   g->edges.capacity * sizeof(*g->edges.at));
	memset(&g->edges, 0, sizeof(g->edges));
}

/* From the one there is, if it is only of another kind; that one stays if no
 * other can be made. */
static int make_whole(struct memo_entry *e, const struct memo_question *q)
{
	struct graph_request *request = &e->whole_request;
	struct trim_options options = *q->trim;
	const struct graph *known = e->graph.nodes.count ? &e->graph : NULL;
	const struct graph_request old_request = *request;
	struct trimmed old = e->whole;
	struct arena old_arena = e->whole_arena;
	int r;

	*request = *q->request;
	request->nodes = &e->nodes.at;
	request->weights = &e->weights.at;
	request->known = e->whole_kind ? &old.graph : known;
	e->whole_arena = (struct arena){ 0 };
	request->trail = find_trail(q->context->memo, e->nodes_key);
	/* Others will want more of it. */
	options.callers_only = false;
	r = trim(&e->whole, request, &options, &e->whole_arena);
	request->trail = NULL;
	request->known = known;
	if (r < 0) {
		arena_release(&e->whole_arena);
		*request = old_request;
		e->whole = old;
		e->whole_arena = old_arena;
		return r;
	}
	arena_release(&old_arena);
	e->whole_kind = kind_of(q->trim);
	keep_ranks(e);
	forget_edges(e);
	return 0;
}

static int make_tree(struct memo_entry *e, const struct memo_question *q)
{
	struct graph_request request = *q->request;
	int r;

	request.nodes = &e->nodes.at;
	request.weights = &e->weights.at;
	/* In another order it is of no use. */
	treetext_release(&e->tree);
	e->tree_state = TREE_UNASKED;
	r = treetext_make(&e->tree, &request, q->trim->by_cum);
	if (r < 0 && r != -ENOTSUP)
		return r;
	e->tree_state = r < 0 ? TREE_UNFIT : TREE_READY;
	e->tree_by_cum = q->trim->by_cum;
	return 0;
}

static struct memo_entry *new_entry(uint64_t key, uint64_t nodes_key)
{
	struct arena arena = { 0 };
	struct memo_entry *e = ARENA_NEW(&arena, struct memo_entry);

	if (!e)
		return NULL;
	e->arena = arena;
	e->key = key;
	e->nodes_key = nodes_key;
	return e;
}

/* NULL: they are not there. */
static const struct memo_nodes *find_nodes(const struct report_memo *m,
					   uint64_t key)
{
	for (unsigned i = 0; m && i < MEMO_ENTRIES; i++)
		if (m->entry[i] && m->entry[i]->nodes_key == key &&
		    m->entry[i]->nodes.in)
			return &m->entry[i]->nodes;
	return NULL;
}

/* Those that can be made into what a question is about.  NULL: none. */
static const struct memo_nodes *find_similar(const struct memo_question *q)
{
	const struct report_memo *m = q->context->memo;

	if (m->kinship == KIN_LOST_LINES && !q->nodes->inlines)
		return NULL;
	return find_nodes(m->kin, nodes_key(q));
}

struct memo_entry *memo_entry_start(const struct memo_question *q)
{
	struct memo_entry *e = new_entry(memo_key(q), nodes_key(q));
	const struct report_memo *m = q->context->memo;
	const struct memo_nodes *known, *similar;

	if (!e)
		return NULL;
	known = find_nodes(m, e->nodes_key);
	similar = find_similar(q);
	if (!known && m->kinship == KIN_SAME)
		known = similar;
	if (known)
		e->nodes = share_nodes(known);
	else if (similar)
		e->similar = share_nodes(similar);
	return e;
}

static struct memo_weights share_weights(const struct memo_weights *from)
{
	struct memo_weights w = *from;

	w.in = shared_arena_use(from->in);
	return w;
}

struct memo_weights memo_weights_make(const struct graph_request *q)
{
	struct memo_weights w = { .value = q->value, .in = shared_arena_new() };

	if (!w.in || stack_weights_make(&w.at, q->profile, q->order, q->value,
					&w.in->arena) == 0)
		return w;
	shared_arena_leave(w.in);
	return (struct memo_weights){ 0 };
}

/* Returns 0, or a negative errno: see nodetab_narrow(). */
static int narrow_nodes(struct memo_nodes *n, const struct memo_nodes *wide,
			const struct memo_question *q)
{
	const struct report_memo *m = q->context->memo;
	int r = -ENOMEM;

	*n = share_nodes(wide);
	shared_arena_leave(n->places_in);
	n->places_in = shared_arena_new();
	if (n->places_in)
		r = nodetab_narrow(&n->at, &wide->at, m->kin->profile,
				   q->request->profile, &n->places_in->arena);
	if (r < 0)
		leave_nodes(n);
	return r;
}

/* Likewise: see nodetab_widen(). */
static int widen_nodes(struct memo_nodes *n, const struct memo_nodes *smaller,
		       const struct memo_question *q)
{
	const struct report_memo *m = q->context->memo;
	int r = -ENOMEM;

	n->in = shared_arena_new();
	if (n->in)
		r = nodetab_widen(&n->at, &smaller->at, m->kin->profile,
				  q->request->profile, q->nodes, &n->in->arena);
	if (r < 0)
		leave_nodes(n);
	return r;
}

static int make_nodetab(struct memo_nodes *n, const struct memo_question *q)
{
	int r = -ENOMEM;

	n->in = shared_arena_new();
	if (n->in)
		r = nodetab_make(&n->at, q->request->profile, q->nodes,
				 &n->in->arena);
	if (r < 0)
		leave_nodes(n);
	return r;
}

int memo_entry_add_nodetab(struct memo_entry *e, const struct memo_question *q)
{
	bool more = q->context->memo->kinship == KIN_HAS_MORE;
	int r = e->nodes.in ? 0 : -ENOENT;

	if (e->similar.in)
		r = (more ? widen_nodes : narrow_nodes)(&e->nodes, &e->similar,
							q);
	leave_nodes(&e->similar);
	return r == -ENOENT ? make_nodetab(&e->nodes, q) : r;
}

static int make_nodes(struct memo_entry *e, const struct memo_question *q)
{
	if (!e->weights.in && q->weights)
		e->weights = share_weights(q->weights);
	if (!e->weights.in)
		e->weights = memo_weights_make(q->request);
	return e->weights.in ? memo_entry_add_nodetab(e, q) : -ENOMEM;
}

/* With edges, if they come as quickly. */
static int add_nodes(struct memo_entry *e, const struct memo_question *q)
{
	struct graph_request request = *q->request;
	const struct trail *trail = find_trail(q->context->memo, e->nodes_key);

	request.nodes = &e->nodes.at;
	request.weights = &e->weights.at;
	request.known = NULL;
	if (!e->graph_in)
		e->graph_in = shared_arena_new();
	if (!e->graph_in)
		return -ENOMEM;
	return trail ? trail_graph(&e->graph, trail, &request,
				   &e->graph_in->arena)
		     : graph_add_nodes(&e->graph, &request,
				       &e->graph_in->arena);
}

int memo_entry_add_nodes(struct memo_entry *e, const struct memo_question *q)
{
	int r = make_nodes(e, q);

	return r < 0 ? r : add_nodes(e, q);
}

int memo_entry_add_whole(struct memo_entry *e, const struct memo_question *q)
{
	int r = make_nodes(e, q);

	if (r == 0 && memo_wants_tree(q))
		return make_tree(e, q);
	if (r == 0)
		r = make_whole(e, q);
	e->whole_too_large = r == -E2BIG;
	if (r != -E2BIG)
		return r;
	/* Then at least the nodes, which come with it otherwise. */
	return e->graph.nodes.count ? 0 : add_nodes(e, q);
}

int memo_entry_add_trail(struct memo_entry *e, const struct memo_question *q)
{
	struct memo_trails *t = q->context->memo->trails;
	struct graph_request request = *q->request;
	unsigned count = t ? atomic_load(&t->count) : MEMO_TRAILS;
	int r = make_nodes(e, q);

	if (r < 0 || count == MEMO_TRAILS ||
	    find_trail(q->context->memo, e->nodes_key))
		return r;
	request.nodes = &e->nodes.at;
	r = trail_make(&t->at[count], &request);
	if (r < 0)
		return r == -E2BIG ? 0 : r;
	t->nodes_key[count] = e->nodes_key;
	atomic_store(&t->count, count + 1);
	return 0;
}

struct memo_entry *memo_entry_copy(const struct memo_entry *e)
{
	struct memo_entry *copy = new_entry(e->key, e->nodes_key);

	if (!copy)
		return NULL;
	copy->nodes = share_nodes(&e->nodes);
	copy->similar = share_nodes(&e->similar);
	copy->weights = share_weights(&e->weights);
	copy->graph.nodes.at = e->graph.nodes.at;
	copy->graph.nodes.count = e->graph.nodes.count;
	copy->graph_in = shared_arena_use(e->graph_in);
	return copy;
}

/* What a question needs at once. */
static struct memo_entry *make_entry(const struct memo_question *question)
{
	struct memo_entry *e = memo_entry_start(question);
	struct memo_question q = *question;
	int r;

	if (!e)
		return NULL;
	q.weights = memo_find_weights(q.context->memo, q.request->value);
	if (memo_wants_tree(&q))
		r = memo_entry_add_whole(e, &q);
	else if (!kind_of(q.trim) ||
		 (q.few_edges && !find_trail(q.context->memo, e->nodes_key)))
		r = memo_entry_add_nodes(e, &q);
	else
		r = memo_entry_add_whole(e, &q);
	if (r == 0)
		return e;
	memo_entry_release(e);
	return NULL;
}

/* Where the entry of a key is; MEMO_ENTRIES: nowhere. */
static unsigned place_of(const struct report_memo *m, uint64_t key)
{
	unsigned place = 0;

	while (place < MEMO_ENTRIES &&
	       !(m->entry[place] && m->entry[place]->key == key))
		place++;
	return place;
}

static struct memo_entry *find(const struct report_memo *m, uint64_t key)
{
	unsigned place = place_of(m, key);

	return place < MEMO_ENTRIES ? m->entry[place] : NULL;
}

const struct memo_entry *memo_find(const struct report_memo *m, uint64_t key)
{
	return find(m, key);
}

const struct memo_weights *memo_find_weights(const struct report_memo *m,
					     struct sample_value value)
{
	for (unsigned i = 0; i < MEMO_ENTRIES; i++) {
		const struct memo_entry *e = m->entry[i];

		if (e && e->weights.value.index == value.index &&
		    e->weights.value.mean == value.mean)
			return &e->weights;
	}
	return NULL;
}

/* A place that is free, or will be. */
static unsigned oldest_place(const struct report_memo *m)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < MEMO_ENTRIES && m->entry[oldest]; i++)
		if (!m->entry[i] || m->entry[i]->used < m->entry[oldest]->used)
			oldest = i;
	return oldest;
}

/* What an entry was made of may be gone soon. */
static void settle_in(const struct report_memo *m, struct memo_entry *e)
{
	e->whole_request.profile = m->profile;
	e->whole_request.pacer = NULL;
}

struct memo_entry *memo_keep(struct report_memo *m, struct memo_entry *e)
{
	unsigned place;

	if (!e)
		return NULL;
	place = place_of(m, e->key);
	if (place == MEMO_ENTRIES)
		place = oldest_place(m);
	memo_entry_release(m->entry[place]);
	m->entry[place] = e;
	e->used = ++m->uses;
	settle_in(m, e);
	return e;
}

/* The entry with all that is there already, or will be soon. */
static struct memo_entry *look_up(struct report_memo *m,
				  const struct memo_question *q, bool whole)
{
	struct memo_entry *e = find(m, memo_key(q));
	struct memo_entry *other;

	if (e)
		e->used = ++m->uses;
	if (e && memo_has_whole(e, q))
		return e;
	other = memo_keep(m, ahead_take(m->ahead, memo_key(q), whole));
	return other ? other : e;
}

const struct memo_entry *memo_get(const struct memo_question *q)
{
	struct report_memo *m = q->context->memo;
	bool whole = memo_wants_tree(q) || (kind_of(q->trim) && !q->few_edges);
	struct memo_entry *e = m ? look_up(m, q, whole) : NULL;

	if (!m)
		return NULL;
	if (!e)
		return memo_keep(m, make_entry(q));
	if (whole && !memo_has_whole(e, q)) {
		int r = memo_wants_tree(q) ? make_tree(e, q) : make_whole(e, q);

		if (r < 0)
			return NULL;
		settle_in(m, e);
	}
	return e;
}

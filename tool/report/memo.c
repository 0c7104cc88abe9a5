/* SPDX-License-Identifier: MIT */
/* See memo.h. */
#include "report/memo.h"

#include <string.h>

#include "base/xxh64.h"
#include "report/context.h"
#include "report/report.h"

void memo_release(struct report_memo *m)
{
	for (unsigned i = 0; i < MEMO_ENTRIES; i++)
		arena_release(&m->entry[i].arena);
	*m = (struct report_memo){ 0 };
}

/* Whether filters have left everything as it is in the request's profile. */
static bool is_whole(const struct report_context *c)
{
	return !(c->profile.owned & ~(uint32_t)PROFILE_LABELS) &&
	       c->profile.stack == c->request->profile->stack &&
	       c->profile.sample_count == c->request->profile->sample_count;
}

static uint64_t text_key(const char *text)
{
	return text ? xxh64(span_text(text)) : 0;
}

/* All that the nodes and their values depend on; never 0. */
static uint64_t key_of(const struct report_context *c,
		       const struct node_options *o)
{
	const uint64_t parts[] = {
		(uint64_t)(o->function | o->file << 1 | o->line << 2 |
			   o->column << 3 | o->address << 4 | o->object << 5 |
			   o->inlines << 6 | c->value.mean << 7),
		c->value.index,
		text_key(c->view.trim_path),
		text_key(c->view.source_path),
	};

	return xxh64(span_of(parts, sizeof(parts))) | 1;
}

static int fill(struct memo_entry *e, const struct node_options *options,
		struct graph_request q)
{
	int r = nodetab_make(&e->nodes, q.profile, options, &e->arena);

	if (r == 0)
		r = stack_weights_make(&e->weights, q.profile, q.order, q.value,
				       &e->arena);
	q.nodes = &e->nodes;
	q.weights = &e->weights;
	return r < 0 ? r : graph_add_nodes(&e->graph, &q, &e->arena);
}

const struct memo_entry *memo_get(const struct report_context *c,
				  const struct node_options *options,
				  const struct graph_request *request)
{
	struct report_memo *m = c->request->memo;
	uint64_t key = key_of(c, options);
	struct memo_entry *e;

	if (!m || !is_whole(c))
		return NULL;
	for (unsigned i = 0; i < MEMO_ENTRIES; i++)
		if (m->entry[i].key == key)
			return &m->entry[i];
	e = &m->entry[m->next];
	m->next = (m->next + 1) % MEMO_ENTRIES;
	arena_release(&e->arena);
	*e = (struct memo_entry){ 0 };
	if (fill(e, options, *request) < 0)
		return NULL;
	e->key = key;
	return e;
}

/* SPDX-License-Identifier: MIT */
/*
 * See callnames.h.  Numbers follow the order in which names are written, but to
 * go through all calls in that order is to wait for memory.  So calls are first
 * looked at as they are stored, which tells the first entry to mention a name;
 * and only entries that are the first for some name are gone through.
 */
#include "report/callnames.h"

#include <errno.h>

#include "base/arena.h"
#include "profile/profile.h"

struct naming {
	struct call_names *n;
	const struct trimmed *t;
	struct arena *arena;
	uint32_t strings; /* names below are str_ids, those from here texts */
	uint32_t *place;  /* by graph node, in shown; NOWHERE: not there */
};

#define NOWHERE UINT32_MAX

static void find_places(struct naming *x)
{
	for (uint32_t i = 0; i < x->t->graph.nodes.count; i++)
		x->place[i] = NOWHERE;
	for (uint32_t i = 0; i < x->t->shown_count; i++)
		x->place[x->t->shown[i]] = i;
}

static uint32_t callee_name(const struct naming *x, uint32_t node)
{
	const struct family *f = namesakes_family(&x->n->namesakes, x->t, node);

	return f->count > 1
		       ? x->strings + f->series + x->n->namesakes.rank[node]
		       : f->name;
}

/* For now with names instead of their numbers.  What is called but spends
 * nothing in all is no entry, and has no name then. */
static void describe_callees(struct naming *x)
{
	for (uint32_t node = 1; node < x->t->graph.nodes.count; node++) {
		const struct node_info *info = trimmed_info(x->t, node);
		bool shown = x->place[node] != NOWHERE;

		x->n->callees[node] = (struct callee){
			.address = info->address,
			.line = info->line,
			.file = info->file,
			.name = shown ? callee_name(x, node) : 0,
		};
	}
}

static int make_numbers(struct name_numbers *n, size_t names,
			struct arena *arena)
{
	n->first = ARENA_ARRAY(arena, uint32_t, names);
	n->number = ARENA_ARRAY(arena, uint32_t, names);
	if (!n->first || !n->number)
		return -ENOMEM;
	for (size_t i = 0; i < names; i++)
		n->first[i] = NOWHERE;
	return 0;
}

static void mention(struct name_numbers *n, uint32_t id, uint32_t place)
{
	if (place < n->first[id])
		n->first[id] = place;
}

/* By graph node, the first entry that has it for a callee. */
static uint32_t *first_calls(const struct naming *x)
{
	const struct graph *g = &x->t->graph;
	uint32_t *first = ARENA_ARRAY(x->arena, uint32_t, g->nodes.count);

	for (uint32_t i = 0; first && i < g->nodes.count; i++)
		first[i] = NOWHERE;
	for (uint32_t i = 0; first && i < g->edges.count; i++) {
		const struct graph_edge *e = &g->edges.at[i];

		if (!e->removed && x->place[e->from] < first[e->to])
			first[e->to] = x->place[e->from];
	}
	return first;
}

static int find_mentions(struct naming *x)
{
	struct call_names *n = x->n;
	const uint32_t *calls = first_calls(x);

	if (!calls)
		return -ENOMEM;
	for (uint32_t node = 1; node < x->t->graph.nodes.count; node++) {
		const struct node_info *info = trimmed_info(x->t, node);
		const struct callee *callee = &n->callees[node];

		mention(&n->files, callee->file, calls[node]);
		mention(&n->names, callee->name, calls[node]);
		mention(&n->objects, info->object, x->place[node]);
		mention(&n->files, info->file, x->place[node]);
		mention(&n->names, info->name, x->place[node]);
	}
	return 0;
}

static void mark_first(const struct name_numbers *n, size_t names, bool *news)
{
	for (size_t i = 1; i < names; i++)
		if (n->first[i] != NOWHERE)
			news[n->first[i]] = true;
}

/* The next number, if the name has none; returns full then. */
static uint8_t number_name(struct name_numbers *n, uint32_t id, uint8_t full)
{
	if (!id || n->number[id])
		return 0;
	n->number[id] = ++n->count;
	return full;
}

static void number_entry(struct naming *x, uint32_t place)
{
	struct call_names *n = x->n;
	const struct trimmed *t = x->t;
	uint32_t node = t->shown[place];
	const struct node_info *info = trimmed_info(t, node);

	n->entry_full[place] = number_name(&n->objects, info->object,
					   FULL_OBJECT) |
			       number_name(&n->files, info->file, FULL_FILE) |
			       number_name(&n->names, info->name, FULL_NAME);
	for (uint32_t i = t->out.first[node]; i < t->out.first[node + 1]; i++) {
		const struct graph_edge *e = &t->graph.edges.at[t->out.ids[i]];
		const struct callee *callee = &n->callees[e->to];

		if (e->removed)
			continue;
		n->call_full[i] = number_name(&n->files, callee->file,
					      FULL_FILE) |
				  number_name(&n->names, callee->name,
					      FULL_NAME);
	}
}

/* How many names there may be. */
static size_t name_count(const struct naming *x)
{
	return (size_t)x->strings + x->n->namesakes.texts;
}

static int number_entries(struct naming *x)
{
	const struct trimmed *t = x->t;
	bool *news = ARENA_ARRAY(x->arena, bool, t->shown_count);

	if (!news)
		return -ENOMEM;
	mark_first(&x->n->objects, x->strings, news);
	mark_first(&x->n->files, x->strings, news);
	mark_first(&x->n->names, name_count(x), news);
	for (uint32_t i = 0; i < t->shown_count; i++)
		if (news[i])
			number_entry(x, i);
	return 0;
}

static int number_names(struct naming *x)
{
	struct call_names *n = x->n;
	int r = make_numbers(&n->objects, x->strings, x->arena);

	if (r == 0)
		r = make_numbers(&n->files, x->strings, x->arena);
	if (r == 0)
		r = make_numbers(&n->names, name_count(x), x->arena);
	if (r == 0)
		r = find_mentions(x);
	if (r == 0)
		r = number_entries(x);
	for (uint32_t i = 0; i < x->t->graph.nodes.count && r == 0; i++) {
		struct callee *callee = &n->callees[i];

		callee->file = n->files.number[callee->file];
		callee->name = n->names.number[callee->name];
	}
	return r;
}

int call_names_make(struct call_names *n, const struct trimmed *t,
		    struct arena *arena)
{
	uint32_t nodes = t->graph.nodes.count;
	struct naming x = {
		.n = n,
		.t = t,
		.arena = arena,
		.strings = t->request->profile->strings->strings.count,
		.place = ARENA_ARRAY(arena, uint32_t, nodes),
	};
	int r = namesakes_find(&n->namesakes, t, arena);

	n->callees = ARENA_ARRAY(arena, struct callee, nodes);
	n->entry_full = ARENA_ARRAY(arena, uint8_t, t->shown_count);
	n->call_full = ARENA_ARRAY(arena, uint8_t, t->graph.edges.count);
	if (r < 0 || arena->failed || name_count(&x) > UINT32_MAX)
		return -ENOMEM;
	find_places(&x);
	describe_callees(&x);
	return number_names(&x);
}

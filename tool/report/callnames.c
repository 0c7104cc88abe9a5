/* SPDX-License-Identifier: MIT */
/*
 * See callnames.h.  Numbers follow the order in which names are written, but to
 * go through all calls in that order is to wait for memory.  So calls are first
 * looked at as they are stored, which tells the first entry to mention a name;
 * and only entries that are the first for some name are gone through.
 */
#include "report/callnames.h"

#include <errno.h>

#include "base/hash.h"
#include "base/sink.h"
#include "base/vec.h"
#include "profile/trim.h"

/*
 * Viewers take functions of one name and file for the same.  Those that are not
 * (of different binaries, or in different contexts of a call tree) are told
 * apart by a number behind the name.
 */
struct namesake {
	str_id name;
	str_id file;
	uint32_t next;	/* another of the same name and file; 0: none */
	uint32_t owner; /* what makes it another function */
	uint32_t rank;
};

struct namesakes {
	VEC(struct namesake) rows; /* [0] unused */
	struct table index;	   /* (name, file) -> first row */
};

static uint32_t find_namesake(const struct namesakes *n, uint32_t hash,
			      const struct node_info *info)
{
	uint32_t i = table_start(&n->index, hash);
	uint32_t id;

	for (; (id = table_id(&n->index, i, hash)) != TABLE_END;
	     i = table_next(&n->index, i))
		if (id && n->rows.at[id].name == info->name &&
		    n->rows.at[id].file == info->file)
			return id;
	return 0;
}

/* Which function a node is part of: in a graph its place and binary, in a
 * tree also the node that it was called from. */
static uint32_t owner_of(const struct trimmed *t, const uint32_t *edge_to,
			 uint32_t node)
{
	const struct node_info *info = trimmed_info(t, node);
	uint32_t edge = edge_to ? edge_to[node] : 0;
	uint32_t caller = edge ? t->graph.edges.at[edge - 1].from : 0;

	return hash_u64(hash_mix((uint64_t)info->object << 32 | caller,
				 (uint64_t)info->start_line)) |
	       1;
}

static uint32_t add_namesake(struct namesakes *n, struct arena *arena,
			     const struct node_info *info, uint32_t owner)
{
	uint32_t hash = hash_pair(info->name, info->file);
	uint32_t first = find_namesake(n, hash, info);
	struct namesake *row;
	uint32_t rank = 0, id, last = 0;

	for (id = first; id; id = n->rows.at[id].next) {
		if (n->rows.at[id].owner == owner)
			return id;
		rank = n->rows.at[id].rank;
		last = id;
	}
	row = VEC_PUSH(&n->rows, arena);
	if (!row)
		return 0;
	id = n->rows.count - 1;
	*row = (struct namesake){ .name = info->name,
				  .file = info->file,
				  .owner = owner,
				  .rank = rank + 1 };
	if (last)
		n->rows.at[last].next = id;
	else if (!table_add(&n->index, arena, hash, id))
		return 0;
	return id;
}

struct naming {
	struct call_names *n;
	const struct trimmed *t;
	struct strtab *strings;
	struct arena *arena;
	struct namesakes namesakes;
	uint32_t *rows;	 /* by graph node; its namesake, 0: not shown */
	uint32_t *place; /* by graph node, in shown; NOWHERE: not there */
};

enum { NODES_AHEAD = 16, INFO_AHEAD = 8 };

#define NOWHERE UINT32_MAX

static str_id numbered_name(struct naming *x, uint32_t id)
{
	struct sink text = sink_to_memory(x->arena);
	const struct namesakes *n = &x->namesakes;
	const struct namesake *row = &n->rows.at[id];
	uint32_t most = row->rank;

	for (uint32_t i = id; i; i = n->rows.at[i].next)
		most = n->rows.at[i].rank;
	if (most == 1)
		return row->name;
	sink_span(&text, str_span(x->strings, row->name));
	sink_format(&text, " [%u/%u]", row->rank, most);
	return strtab_add_span(x->strings, sink_bytes(&text));
}

static uint32_t *edges_to(const struct trimmed *t, struct arena *arena)
{
	uint32_t *edge_to = ARENA_ARRAY(arena, uint32_t, t->graph.nodes.count);

	for (uint32_t i = 0; edge_to && i < t->graph.edges.count; i++)
		edge_to[t->graph.edges.at[i].to] = i + 1;
	return edge_to;
}

/* Brings near the nodes some places behind this one, and what they show. */
__attribute__((always_inline)) static inline void ask_ahead(
	const struct trimmed *t, uint32_t place)
{
	if (place + NODES_AHEAD < t->shown_count)
		__builtin_prefetch(
			&t->graph.nodes.at[t->shown[place + NODES_AHEAD]]);
	if (place + INFO_AHEAD < t->shown_count)
		__builtin_prefetch(
			trimmed_info(t, t->shown[place + INFO_AHEAD]));
}

static int find_namesakes(struct naming *x)
{
	const struct trimmed *t = x->t;
	const uint32_t *edge_to = t->ends ? edges_to(t, x->arena) : NULL;

	if ((t->ends && !edge_to) ||
	    !VEC_RESERVE(&x->namesakes.rows, x->arena, 1))
		return -ENOMEM;
	x->namesakes.rows.count = 1;
	for (uint32_t i = 0; i < t->shown_count; i++) {
		uint32_t node = t->shown[i];

		ask_ahead(t, i);
		x->place[node] = i;
		x->rows[node] = add_namesake(&x->namesakes, x->arena,
					     trimmed_info(t, node),
					     owner_of(t, edge_to, node));
		if (!x->rows[node])
			return -ENOMEM;
	}
	return 0;
}

/* For now with ids of strings instead of their numbers. */
static void describe_callees(struct naming *x)
{
	for (uint32_t node = 1; node < x->t->graph.nodes.count; node++) {
		const struct node_info *info = trimmed_info(x->t, node);

		if (!x->rows[node])
			continue;
		x->n->callees[node] = (struct callee){
			.address = info->address,
			.line = info->line,
			.file = info->file,
			.name = numbered_name(x, x->rows[node]),
		};
	}
}

static int make_numbers(struct name_numbers *n, const struct strtab *s,
			struct arena *arena)
{
	uint32_t strings = s->strings.count;

	n->strings = s;
	n->first = ARENA_ARRAY(arena, uint32_t, (size_t)strings + 1);
	n->number = ARENA_ARRAY(arena, uint32_t, (size_t)strings + 1);
	n->names = ARENA_ARRAY(arena, str_id, (size_t)strings + 1);
	if (!n->first || !n->number || !n->names)
		return -ENOMEM;
	for (uint32_t i = 0; i < strings; i++)
		n->first[i] = NOWHERE;
	return 0;
}

static void mention(struct name_numbers *n, str_id id, uint32_t place)
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

static void mark_first(const struct name_numbers *n, uint32_t strings,
		       bool *news)
{
	for (uint32_t i = 1; i < strings; i++)
		if (n->first[i] != NOWHERE)
			news[n->first[i]] = true;
}

/* The next number, if the name has none; returns full then. */
static uint8_t number_name(struct name_numbers *n, str_id id, uint8_t full)
{
	if (!id || n->number[id])
		return 0;
	n->number[id] = ++n->count;
	n->names[n->count] = id;
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

static int number_entries(struct naming *x)
{
	uint32_t strings = x->strings->strings.count;
	const struct trimmed *t = x->t;
	bool *news = ARENA_ARRAY(x->arena, bool, t->shown_count);

	if (!news)
		return -ENOMEM;
	mark_first(&x->n->objects, strings, news);
	mark_first(&x->n->files, strings, news);
	mark_first(&x->n->names, strings, news);
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
		r = make_numbers(&n->names, x->strings, x->arena);
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
		    struct strtab *strings, struct arena *arena)
{
	uint32_t nodes = t->graph.nodes.count;
	struct naming x = {
		.n = n,
		.t = t,
		.strings = strings,
		.arena = arena,
		.rows = ARENA_ARRAY(arena, uint32_t, nodes),
		.place = ARENA_ARRAY(arena, uint32_t, nodes),
	};
	int r;

	n->callees = ARENA_ARRAY(arena, struct callee, nodes);
	n->entry_full = ARENA_ARRAY(arena, uint8_t, t->shown_count);
	n->call_full = ARENA_ARRAY(arena, uint8_t, t->graph.edges.count);
	if (arena->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < nodes; i++)
		x.place[i] = NOWHERE;
	r = find_namesakes(&x);
	if (r < 0)
		return r;
	describe_callees(&x);
	if (arena->failed || strings->arena->failed)
		return -ENOMEM;
	return number_names(&x);
}

/* SPDX-License-Identifier: MIT */
/* callgrind: the call graph for KCachegrind and its kin. */
#include <errno.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/hash.h"
#include "base/sink.h"
#include "profile/unit.h"
#include "report/graphview.h"
#include "report/report.h"
#include "report/reports.h"

/* Names are written once and then called by number. */
struct name_numbers {
	uint32_t *number; /* by str_id; 0: not yet written */
	uint32_t count;
};

/* What is said of a callee, in one place: there are many calls, and where they
 * lead to is all over memory. */
struct callee {
	uint64_t address;
	int64_t line;
	str_id file;
	str_id name;
};

struct callgrind {
	const struct report_context *c;
	const struct trimmed *t;
	struct sink *out;
	struct name_numbers objects;
	struct name_numbers files;
	struct name_numbers names;
	struct callee *callees; /* by graph node */
	const struct node_info *previous;
};

static void put_name(struct callgrind *g, const char *field,
		     struct name_numbers *numbers, str_id id)
{
	sink_text(g->out, field);
	if (id && numbers->number[id]) {
		sink_format(g->out, "(%u)", numbers->number[id]);
	} else if (id) {
		numbers->number[id] = ++numbers->count;
		sink_format(g->out, "(%u) ", numbers->count);
		sink_span(g->out, str_span(g->c->profile.strings, id));
	}
	sink_char(g->out, '\n');
}

/* Relative to the node before where that is shorter. */
static void put_address(struct callgrind *g, uint64_t address)
{
	char whole[24], relative[24];
	int64_t step;

	fmt_text(whole, sizeof(whole), "0x%llx", (unsigned long long)address);
	if (!g->previous) {
		sink_text(g->out, whole);
		return;
	}
	if (g->previous->address == address) {
		sink_char(g->out, '*');
		return;
	}
	step = (int64_t)(address - g->previous->address);
	if (fmt_text(relative, sizeof(relative), "%s%lld", step > 0 ? "+" : "",
		     (long long)step) < __builtin_strlen(whole))
		sink_text(g->out, relative);
	else
		sink_text(g->out, whole);
}

static long long in_unit(const struct report_context *c, int64_t value)
{
	return integer_part(unit_scale(value, c->sample_unit, c->unit).value);
}

static void put_calls(struct callgrind *g, uint32_t node)
{
	struct edge_list out = edges_out(g->t, node);

	for (uint32_t i = 0; i < out.count; i++) {
		const struct graph_edge *e = &g->t->graph.edges.at[out.at[i]];
		const struct callee *callee = &g->callees[e->to];

		if (e->removed)
			continue;
		put_name(g, "cfl=", &g->files, callee->file);
		put_name(g, "cfn=", &g->names, callee->name);
		sink_text(g->out, "calls=0 ");
		put_address(g, callee->address);
		sink_format(g->out, " %lld\n* * %lld\n",
			    (long long)callee->line, in_unit(g->c, e->weight));
	}
}

enum { EDGES_AHEAD = 8, CALLEES_AHEAD = 4 };

/* Brings near what the nodes some places behind this one will need. */
static void ask_ahead(const struct callgrind *g, uint32_t place)
{
	const struct trimmed *t = g->t;

	if (place + EDGES_AHEAD < t->shown_count) {
		struct edge_list out = edges_out(t,
						 t->shown[place + EDGES_AHEAD]);

		for (uint32_t i = 0; i < out.count && i < EDGES_AHEAD; i++)
			__builtin_prefetch(&t->graph.edges.at[out.at[i]]);
	}
	if (place + CALLEES_AHEAD < t->shown_count) {
		struct edge_list out = edges_out(
			t, t->shown[place + CALLEES_AHEAD]);

		for (uint32_t i = 0; i < out.count && i < EDGES_AHEAD; i++)
			__builtin_prefetch(
				&g->callees[t->graph.edges.at[out.at[i]].to]);
	}
}

static void put_node(struct callgrind *g, uint32_t node)
{
	const struct node_info *info = trimmed_info(g->t, node);
	const struct node_info *last = g->previous;

	if (!last || info->object != last->object || info->file != last->file ||
	    info->name != last->name) {
		sink_char(g->out, '\n');
		put_name(g, "ob=", &g->objects, info->object);
		put_name(g, "fl=", &g->files, info->file);
		put_name(g, "fn=", &g->names, info->name);
	}
	put_address(g, info->address);
	sink_format(g->out, " %lld %lld\n", (long long)info->line,
		    in_unit(g->c, node_flat(&g->t->graph.nodes.at[node])));
	put_calls(g, node);
	g->previous = info;
}

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

static str_id numbered_name(struct callgrind *g, const struct namesakes *n,
			    uint32_t id)
{
	struct sink text = sink_to_memory(g->c->arena);
	const struct namesake *row = &n->rows.at[id];
	uint32_t most = row->rank;

	for (uint32_t i = id; i; i = n->rows.at[i].next)
		most = n->rows.at[i].rank;
	if (most == 1)
		return row->name;
	sink_span(&text, str_span(g->c->profile.strings, row->name));
	sink_format(&text, " [%u/%u]", row->rank, most);
	return strtab_add_span(g->c->profile.strings, sink_bytes(&text));
}

static uint32_t *edges_to(const struct trimmed *t, struct arena *arena)
{
	uint32_t *edge_to = ARENA_ARRAY(arena, uint32_t, t->graph.nodes.count);

	for (uint32_t i = 0; edge_to && i < t->graph.edges.count; i++)
		edge_to[t->graph.edges.at[i].to] = i + 1;
	return edge_to;
}

static int name_callees(struct callgrind *g)
{
	const struct trimmed *t = g->t;
	struct arena *arena = g->c->arena;
	struct namesakes n = { 0 };
	uint32_t *rows = ARENA_ARRAY(arena, uint32_t, t->graph.nodes.count);
	const uint32_t *edge_to = t->ends ? edges_to(t, arena) : NULL;

	g->callees = ARENA_ARRAY(arena, struct callee, t->graph.nodes.count);
	if (!rows || !g->callees || (t->ends && !edge_to) ||
	    !VEC_RESERVE(&n.rows, arena, 1))
		return -ENOMEM;
	n.rows.count = 1;
	for (uint32_t i = 0; i < t->shown_count; i++) {
		uint32_t node = t->shown[i];

		rows[node] = add_namesake(&n, arena, trimmed_info(t, node),
					  owner_of(t, edge_to, node));
		if (!rows[node])
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < t->shown_count; i++) {
		const struct node_info *info = trimmed_info(t, t->shown[i]);

		g->callees[t->shown[i]] = (struct callee){
			.address = info->address,
			.line = info->line,
			.file = info->file,
			.name = numbered_name(g, &n, rows[t->shown[i]]),
		};
	}
	return arena->failed ? -ENOMEM : 0;
}

static int prepare(struct callgrind *g)
{
	struct arena *arena = g->c->arena;
	size_t count;
	int r = name_callees(g);

	/* Naming may have added strings, so count them now. */
	count = g->c->profile.strings->strings.count;
	g->objects.number = ARENA_ARRAY(arena, uint32_t, count);
	g->files.number = ARENA_ARRAY(arena, uint32_t, count);
	g->names.number = ARENA_ARRAY(arena, uint32_t, count);
	return arena->failed ? -ENOMEM : r;
}

static int callgrind_write(struct report_context *c, struct sink *out,
			   struct error *err)
{
	const struct graph_wish wish = {
		.objects = true,
		.tree_allowed = true,
		.edges = true,
		.whole_unit = true,
	};
	struct graph_view view = { 0 };
	struct callgrind g = { .c = c, .t = &view.trimmed, .out = out };
	int r = graph_view_prepare(&view, c, &wish, err);

	if (r == 0)
		r = graph_view_trim(&view, c, &wish, err);
	if (r < 0)
		return r;
	r = prepare(&g);
	if (r < 0)
		return error_set(err, r, "out of memory");
	sink_text(out, "positions: instr line\n");
	sink_format(out, "events: %s(%s)\n", c->type, c->unit);
	for (uint32_t i = 0; i < view.trimmed.shown_count; i++) {
		ask_ahead(&g, i);
		put_node(&g, view.trimmed.shown[i]);
	}
	return 0;
}

const struct report report_callgrind = {
	.name = "callgrind",
	.summary = "the call graph in callgrind's format",
	.binary = true,
	.adjust = adjust_by_address,
	.write = callgrind_write,
};

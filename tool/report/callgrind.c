/* SPDX-License-Identifier: MIT */
/* callgrind: the call graph for KCachegrind and its kin. */
#include <errno.h>
#include <string.h>

#include "base/digits.h"
#include "base/error.h"
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
	struct conversion conversion; /* to the unit */
	bool converts;		      /* or each value on its own */
};

/* More than a call takes: two names, an address, three numbers. */
enum { ROOM = 256 };

static char *add_text(char *at, const char *text)
{
	size_t len = strlen(text);

	memcpy(at, text, len);
	return at + len;
}

static char *add_number(char *at, int64_t value)
{
	char digits[DIGITS_MAX];
	char *end = digits + sizeof(digits);
	char *first = digits_before(end, value < 0 ? -(uint64_t)value
						   : (uint64_t)value);

	if (value < 0)
		*at++ = '-';
	memcpy(at, first, (size_t)(end - first));
	return at + (end - first);
}

static char *add_hex(char *at, uint64_t value)
{
	int digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;

	at = add_text(at, "0x");
	for (int i = digits - 1; i >= 0; i--)
		*at++ = "0123456789abcdef"[value >> (4 * i) & 15];
	return at;
}

/* The number of a name that has been written in full. */
static char *add_reference(char *at, const char *field, uint32_t number)
{
	at = add_text(at, field);
	*at++ = '(';
	at = add_number(at, number);
	return add_text(at, ")\n");
}

static void put_name(struct callgrind *g, const char *field,
		     struct name_numbers *numbers, str_id id)
{
	char text[ROOM];

	if (id && numbers->number[id]) {
		char *end = add_reference(text, field, numbers->number[id]);

		sink_write(g->out, text, (size_t)(end - text));
		return;
	}
	sink_text(g->out, field);
	if (id) {
		numbers->number[id] = ++numbers->count;
		sink_format(g->out, "(%u) ", numbers->count);
		sink_span(g->out, str_span(g->c->profile.strings, id));
	}
	sink_char(g->out, '\n');
}

/* Relative to the node before where that is shorter. */
static char *add_address(const struct callgrind *g, char *at, uint64_t address)
{
	char relative[ROOM];
	char *end = relative;
	char *whole_end;
	int64_t step;

	if (g->previous && g->previous->address == address) {
		*at++ = '*';
		return at;
	}
	whole_end = add_hex(at, address);
	if (!g->previous)
		return whole_end;
	step = (int64_t)(address - g->previous->address);
	if (step > 0)
		*end++ = '+';
	end = add_number(end, step);
	if (end - relative >= whole_end - at)
		return whole_end;
	memcpy(at, relative, (size_t)(end - relative));
	return at + (end - relative);
}

static int64_t in_unit(const struct callgrind *g, int64_t value)
{
	const struct conversion *c = &g->conversion;

	if (!g->converts)
		return integer_part(
			unit_scale(value, g->c->sample_unit, g->c->unit).value);
	return integer_part((double)value * c->multiply / c->divide);
}

/* Names that were written before, as most were, are numbers by now. */
static char *add_callee_names(struct callgrind *g, char *at,
			      const struct callee *callee)
{
	uint32_t file = g->files.number[callee->file];
	uint32_t name = g->names.number[callee->name];

	if (file && name) {
		at = add_reference(at, "cfl=", file);
		return add_reference(at, "cfn=", name);
	}
	put_name(g, "cfl=", &g->files, callee->file);
	put_name(g, "cfn=", &g->names, callee->name);
	return at;
}

static void put_calls(struct callgrind *g, uint32_t node)
{
	struct edge_list out = edges_out(g->t, node);
	char text[ROOM];

	for (uint32_t i = 0; i < out.count; i++) {
		const struct graph_edge *e = &g->t->graph.edges.at[out.at[i]];
		const struct callee *callee = &g->callees[e->to];
		char *at;

		if (e->removed)
			continue;
		at = add_callee_names(g, text, callee);
		at = add_text(at, "calls=0 ");
		at = add_address(g, at, callee->address);
		*at++ = ' ';
		at = add_number(at, callee->line);
		at = add_text(at, "\n* * ");
		at = add_number(at, in_unit(g, e->weight));
		*at++ = '\n';
		sink_write(g->out, text, (size_t)(at - text));
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
	char text[ROOM];
	char *at;

	if (!last || info->object != last->object || info->file != last->file ||
	    info->name != last->name) {
		sink_char(g->out, '\n');
		put_name(g, "ob=", &g->objects, info->object);
		put_name(g, "fl=", &g->files, info->file);
		put_name(g, "fn=", &g->names, info->name);
	}
	at = add_address(g, text, info->address);
	*at++ = ' ';
	at = add_number(at, info->line);
	*at++ = ' ';
	at = add_number(at, in_unit(g, node_flat(&g->t->graph.nodes.at[node])));
	*at++ = '\n';
	sink_write(g->out, text, (size_t)(at - text));
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
		.callees_only = true,
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
	g.converts = unit_conversion(&g.conversion, c->sample_unit, c->unit);
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

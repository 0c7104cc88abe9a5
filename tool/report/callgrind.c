/* SPDX-License-Identifier: MIT */
/* callgrind: the call graph for KCachegrind and its kin. */
#include <errno.h>
#include <string.h>

#include "base/digits.h"
#include "base/error.h"
#include "base/sink.h"
#include "profile/unit.h"
#include "report/graphview.h"
#include "report/namesakes.h"
#include "report/report.h"
#include "report/reports.h"

/* Names are written once and then called by number. */
struct name_numbers {
	uint32_t *number; /* by str_id and more; 0: not yet written */
	uint32_t count;
};

/* What is said of a callee, in one place: there are many calls, and where they
 * lead to is all over memory. */
struct callee {
	uint64_t address;
	int64_t line;
	str_id file;
	uint32_t name; /* a str_id, or behind those a text with a number */
	uint32_t family;
	uint32_t rank;
};

struct callgrind {
	const struct report_context *c;
	const struct trimmed *t;
	struct sink *out;
	struct name_numbers objects;
	struct name_numbers files;
	struct name_numbers names;
	struct namesakes namesakes;
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

/* With a number behind the name where it has namesakes. */
static void put_callee_name(struct callgrind *g, const struct callee *callee)
{
	const struct family *f = &g->namesakes.families.at[callee->family];
	uint32_t *number = &g->names.number[callee->name];
	char text[ROOM];
	char *end;

	if (f->count <= 1 || *number) {
		put_name(g, "cfn=", &g->names, callee->name);
		return;
	}
	*number = ++g->names.count;
	end = add_text(text, "cfn=(");
	end = add_number(end, *number);
	end = add_text(end, ") ");
	sink_write(g->out, text, (size_t)(end - text));
	sink_span(g->out, str_span(g->c->profile.strings, f->name));
	end = add_text(text, " [");
	end = add_number(end, callee->rank);
	*end++ = '/';
	end = add_number(end, f->count);
	end = add_text(end, "]\n");
	sink_write(g->out, text, (size_t)(end - text));
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
	put_callee_name(g, callee);
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

/* How far ahead what leads to what is asked for. */
enum {
	FIRSTS_AHEAD = 32,
	LISTS_AHEAD = 16,
	EDGES_AHEAD = 8,
	CALLEES_AHEAD = 4
};

static struct edge_list calls_ahead(const struct trimmed *t, uint32_t place)
{
	return place < t->shown_count ? edges_out(t, t->shown[place])
				      : (struct edge_list){ 0 };
}

/* Brings near what the nodes some places behind this one will need. */
static void ask_ahead(const struct callgrind *g, uint32_t place)
{
	const struct trimmed *t = g->t;
	struct edge_list out;

	if (place + FIRSTS_AHEAD < t->shown_count) {
		uint32_t node = t->shown[place + FIRSTS_AHEAD];

		__builtin_prefetch(&t->out.first[node]);
		__builtin_prefetch(&t->graph.nodes.at[node]);
	}
	__builtin_prefetch(calls_ahead(t, place + LISTS_AHEAD).at);
	out = calls_ahead(t, place + EDGES_AHEAD);
	for (uint32_t i = 0; i < out.count && i < EDGES_AHEAD; i++)
		__builtin_prefetch(&t->graph.edges.at[out.at[i]]);
	out = calls_ahead(t, place + CALLEES_AHEAD);
	for (uint32_t i = 0; i < out.count && i < EDGES_AHEAD; i++)
		__builtin_prefetch(
			&g->callees[t->graph.edges.at[out.at[i]].to]);
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

static int name_callees(struct callgrind *g)
{
	const struct trimmed *t = g->t;
	const struct namesakes *n = &g->namesakes;
	uint32_t strings = g->c->profile.strings->strings.count;

	g->callees = ARENA_ARRAY(g->c->arena, struct callee,
				 t->graph.nodes.count);
	if (!g->callees)
		return -ENOMEM;
	for (uint32_t node = 1; node < t->graph.nodes.count; node++) {
		const struct node_info *info = trimmed_info(t, node);
		uint32_t family = n->family[t->graph.nodes.at[node].info];
		const struct family *f = &n->families.at[family];
		uint32_t rank = n->rank[node];

		if (!rank)
			continue;
		g->callees[node] = (struct callee){
			.address = info->address,
			.line = info->line,
			.file = info->file,
			.name = f->count > 1 ? strings + f->series + rank
					     : info->name,
			.family = family,
			.rank = rank,
		};
	}
	return 0;
}

static int prepare(struct callgrind *g)
{
	struct arena *arena = g->c->arena;
	size_t strings = g->c->profile.strings->strings.count;
	int r = namesakes_find(&g->namesakes, g->t, arena);

	if (r < 0)
		return r;
	g->objects.number = ARENA_ARRAY(arena, uint32_t, strings);
	g->files.number = ARENA_ARRAY(arena, uint32_t, strings);
	g->names.number = ARENA_ARRAY(arena, uint32_t,
				      strings + g->namesakes.texts);
	return arena->failed ? -ENOMEM : name_callees(g);
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

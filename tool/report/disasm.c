/* SPDX-License-Identifier: MIT */
/* disasm: the machine code of the functions that match, with what it took. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "elf/symtab.h"
#include "profile/number.h"
#include "report/assembly.h"
#include "report/graphview.h"
#include "report/objsym.h"
#include "report/report.h"
#include "report/reports.h"
#include "symbol/demangle.h"

struct disasm {
	struct report_context *c;
	struct sink *out;
	struct graph_view g;
	struct objects objects;
	struct demangler *demangler;
};

/* Where an instruction comes from; shown when it changes. */
struct origin {
	struct span function;
	struct span file;
	int64_t line;
};

static bool origin_equal(const struct origin *a, const struct origin *b)
{
	return a->line == b->line && span_equal(a->function, b->function) &&
	       span_equal(a->file, b->file);
}

/* What the nodes up to the next instruction add up to. */
struct cost {
	int64_t flat, flat_div, cum, cum_div;
};

static struct origin find_origin(const struct object_symbol *s,
				 uint64_t address)
{
	struct symbol_frame frames[SYMBOL_FRAMES];
	struct origin o = { 0 };

	if (!module_find(&s->in->object.file.module, address, frames))
		return o;
	o.function = span_text(frames[0].function);
	if (*frames[0].file)
		o.file = path_base(span_text(frames[0].file));
	o.line = frames[0].line;
	return o;
}

/* Adds the nodes before next and fills in what the file did not tell. */
static struct cost take_nodes(struct disasm *d, const struct object_symbol *s,
			      uint64_t next, uint32_t *at, struct origin *o)
{
	const struct trimmed *t = &d->g.trimmed;
	const struct strtab *str = d->c->profile.strings;
	struct cost cost = { 0 };

	for (; *at < s->node_count; (*at)++) {
		const struct node_info *info = trimmed_info(t, s->nodes[*at]);
		const struct graph_node *n = &t->graph.nodes.at[s->nodes[*at]];
		struct weight flat = { (uint64_t)n->flat,
				       (uint64_t)n->flat_div };
		struct weight cum = { (uint64_t)n->cum, (uint64_t)n->cum_div };
		uint64_t address;

		if (!object_address(&s->in->object, info->address, &address) ||
		    address >= next)
			break;
		weight_add(&cost.flat, &cost.flat_div, flat);
		weight_add(&cost.cum, &cost.cum_div, cum);
		if (info->file && !o->file.len)
			o->file = path_base(str_span(str, info->file));
		if (info->line && !o->line)
			o->line = info->line;
		if (info->name && !o->function.len)
			o->function = str_span(str, info->name);
	}
	return cost;
}

/* Functions are named as by objdump --demangle, in full. */
static void put_origin(struct disasm *d, const struct origin *o)
{
	struct span function;

	if (!demangle(d->demangler, o->function, DEMANGLE_PPROF_FULL,
		      &function))
		function = o->function;
	sink_char(d->out, ';');
	sink_span(d->out, function);
	if (function.len)
		sink_char(d->out, ' ');
	sink_span(d->out, o->file);
	if (o->file.len && o->line)
		sink_format(d->out, ":%lld", (long long)o->line);
}

static void put_instruction(struct disasm *d, const struct instruction *insn,
			    const struct cost *cost, const struct origin *o)
{
	enum { COLUMN = 40 };
	bool beside = o && insn->text.len < COLUMN;

	if (o && !beside) {
		sink_repeat(d->out, ' ', 74);
		put_origin(d, o);
		sink_char(d->out, '\n');
	}
	put_right(d->out,
		  span_text(value_or_dot(
			  d->c, mean_value(cost->flat, cost->flat_div))),
		  10);
	sink_char(d->out, ' ');
	put_right(d->out,
		  span_text(value_or_dot(d->c,
					 mean_value(cost->cum, cost->cum_div))),
		  10);
	sink_format(d->out, " %10llx: ", (unsigned long long)insn->address);
	sink_span(d->out, insn->text);
	if (beside) {
		sink_repeat(d->out, ' ', COLUMN - insn->text.len);
		put_origin(d, o);
	}
	sink_char(d->out, '\n');
}

static void put_code(struct disasm *d, const struct object_symbol *s,
		     const struct code *code)
{
	struct origin last = { 0 };
	uint32_t at = 0;

	for (uint32_t i = 0; i < code->instructions.count; i++) {
		const struct instruction *insn = &code->instructions.at[i];
		uint64_t next = i + 1 < code->instructions.count
					? insn[1].address
					: UINT64_MAX;
		struct origin o = find_origin(s, insn->address);
		struct cost cost = take_nodes(d, s, next, &at, &o);
		bool changed = !origin_equal(&o, &last);
		bool known = o.function.len || o.file.len;

		put_instruction(d, insn, &cost, changed && known ? &o : NULL);
		last = o;
	}
}

static void put_heading(struct disasm *d, const struct object_symbol *s)
{
	const struct trimmed *t = &d->g.trimmed;
	uint64_t flat = 0, cum = 0;

	for (uint32_t i = 0; i < s->node_count; i++) {
		flat += (uint64_t)t->graph.nodes.at[s->nodes[i]].flat;
		cum += (uint64_t)t->graph.nodes.at[s->nodes[i]].cum;
	}
	sink_text(d->out, "ROUTINE ======================== ");
	sink_span(d->out, s->name);
	sink_char(d->out, '\n');
	for (uint32_t i = 1; s->by_address && i < s->rows; i++)
		sink_format(d->out, "    AKA ======================== %.*s\n",
			    (int)strcspn(s->first[i].name, "@"),
			    s->first[i].name);
	put_value_right(d->out, d->c, (int64_t)flat, 10);
	sink_char(d->out, ' ');
	put_value_right(d->out, d->c, (int64_t)cum, 10);
	sink_format(d->out, " (flat, cum) %s of Total\n",
		    percent_of((int64_t)cum, d->c->total).text);
}

static bool symbol_before(const void *context, uint32_t a, uint32_t b)
{
	const struct object_symbol *s = context;
	size_t len = s[a].name.len < s[b].name.len ? s[a].name.len
						   : s[b].name.len;
	int order = memcmp(s[a].name.at, s[b].name.at, len);

	if (order)
		return order < 0;
	if (s[a].name.len != s[b].name.len)
		return s[a].name.len < s[b].name.len;
	return s[a].start < s[b].start;
}

/* The symbols with samples, by name. */
static uint32_t *order_symbols(struct disasm *d, uint32_t *ret_count)
{
	const struct objects *o = &d->objects;
	uint32_t *ids = ARENA_ARRAY(d->c->arena, uint32_t,
				    2 * (size_t)o->symbols.count + 1);
	uint32_t count = 0;

	for (uint32_t i = 0; ids && i < o->symbols.count; i++)
		if (o->symbols.at[i].node_count)
			ids[count++] = i;
	if (ids)
		sort_ids(ids, ids + count, count, symbol_before, o->symbols.at);
	*ret_count = count;
	return ids;
}

static int no_symbols(const struct disasm *d, struct error *err)
{
	unsigned long long address = d->objects.address;

	if (!d->objects.by_address)
		return error_set(err, -ENOENT, "no matches found for regexp %s",
				 d->c->request->argument);
	if (!d->objects.symbols.count)
		return error_set(err, -ENOENT,
				 "no matches found for address 0x%llx",
				 address);
	return error_set(
		err, -ENOENT,
		"address 0x%llx found in binary, but the corresponding symbols do not have samples in the profile",
		address);
}

static int put_symbols(struct disasm *d, struct error *err)
{
	uint32_t count;
	uint32_t *ids = order_symbols(d, &count);

	if (!ids)
		return error_set(err, -ENOMEM, "out of memory");
	if (!count)
		return no_symbols(d, err);
	sink_format(d->out, "Total: %s\n", value_text(d->c, d->c->total));
	for (uint32_t i = 0; i < count; i++) {
		const struct object_symbol *s = &d->objects.symbols.at[ids[i]];
		const struct code *code;

		objects_make_room(&d->objects);
		code = objects_code(&d->objects, d->c, s->in, s->first, err);
		if (!code)
			return err->code;
		put_heading(d, s);
		put_code(d, s, code);
	}
	return 0;
}

static int disasm_write(struct report_context *c, struct sink *out,
			struct error *err)
{
	const struct graph_wish wish = { .objects = true };
	struct disasm d = { .c = c, .out = out };
	const char *unit = c->unit;
	int r;

	d.demangler = demangler_new(c->arena);
	if (!d.demangler)
		return error_set(err, -ENOMEM, "out of memory");
	r = graph_view_prepare(&d.g, c, &wish, err);
	if (r == 0)
		r = graph_view_trim(&d.g, c, &wish, err);
	if (r < 0)
		return r;
	c->unit = unit;
	r = objects_find(&d.objects, c, &d.g, err);
	if (r == 0)
		r = put_symbols(&d, err);
	objects_release(&d.objects);
	return r;
}

static void adjust_disasm(struct view *view)
{
	view->trim = false;
	view->granularity = GRANULARITY_ADDRESSES;
	view->noinlines = true;
}

const struct report report_disasm = {
	.name = "disasm",
	.summary = "the machine code of functions that match REGEX",
	.needs_argument = true,
	.adjust = adjust_disasm,
	.write = disasm_write,
};

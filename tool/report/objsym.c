/* SPDX-License-Identifier: MIT */
/* See objsym.h. */
#include "report/objsym.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/idsort.h"
#include "base/sort.h"
#include "elf/symtab.h"
#include "report/assembly.h"
#include "report/report.h"
#include "symbol/demangle.h"
#include "symbolize/binary.h"

struct finder {
	struct objects *o;
	struct report_context *c;
	const struct trimmed *t;
	struct demangler *demangler;
	bool *sampled; /* by str_id: objects with matching samples */
};

static int mark_sampled(struct finder *f)
{
	const struct trimmed *t = f->t;

	f->sampled = ARENA_ARRAY(f->c->arena, bool,
				 f->c->profile.strings->strings.count);
	if (!f->sampled)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->shown_count; i++) {
		str_id object = trimmed_info(t, t->shown[i])->object;

		if (object && !f->sampled[object] &&
		    matcher_match_span(&f->c->argument,
				       trimmed_name(t, t->shown[i])))
			f->sampled[object] = true;
	}
	return 0;
}

/* The name of a symbol, in whichever form matches; empty if none does. */
static struct span matching_name(struct finder *f, const char *name)
{
	static const unsigned forms[] = {
		DEMANGLE_PPROF_FULL,
		DEMANGLE_PPROF_TEMPLATES,
		DEMANGLE_PPROF,
	};
	struct span plain = span_of(name, strcspn(name, "@"));

	if (matcher_match_span(&f->c->argument, plain))
		return plain;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct span text;

		if (!demangle(f->demangler, plain, forms[i], &text))
			return (struct span){ 0 };
		if (!matcher_match_span(&f->c->argument, text))
			continue;
		return span_of(arena_text(f->c->arena, (const char *)text.at,
					  text.len),
			       text.len);
	}
	return (struct span){ 0 };
}

static bool node_before(const void *context, uint32_t a, uint32_t b)
{
	const struct trimmed *t = context;

	return trimmed_info(t, a)->address < trimmed_info(t, b)->address;
}

/* Puts the nodes of an object in order, once for all of its symbols; false if
 * memory ran out. */
static bool place_nodes(struct finder *f, struct open_object *in)
{
	const struct trimmed *t = f->t;
	struct sort_item *nodes = ARENA_ARRAY(f->c->arena, struct sort_item,
					      2 * (size_t)t->shown_count + 1);
	uint32_t count = 0;

	if (!nodes)
		return false;
	for (uint32_t i = 0; i < t->shown_count; i++) {
		const struct node_info *info = trimmed_info(t, t->shown[i]);
		uint64_t address;

		if (info->object == in->file &&
		    object_address(&in->object, info->address, &address))
			nodes[count++] = (struct sort_item){
				.key = address,
				.id = t->shown[i],
			};
	}
	sort_items(nodes, nodes + count, count);
	in->nodes = nodes;
	in->node_count = count;
	return true;
}

/* Gives the symbol its nodes, which several mappings may have put in another
 * order; false if memory ran out. */
static bool take_nodes(struct finder *f, struct object_symbol *s)
{
	const struct sort_item *all = s->in->nodes;
	size_t first = sort_find(all, s->in->node_count, s->start);
	size_t end = sort_find(all, s->in->node_count, s->end);
	/* A damaged file has symbols that end before they begin. */
	uint32_t count = first < end ? (uint32_t)(end - first) : 0;

	s->nodes = ARENA_ARRAY(f->c->arena, uint32_t, 2 * (size_t)count + 1);
	if (!s->nodes)
		return false;
	for (uint32_t i = 0; i < count; i++)
		s->nodes[i] = all[first + i].id;
	s->node_count = count;
	sort_ids(s->nodes, s->nodes + count, count, node_before, f->t);
	return true;
}

/* The rows at one address, from row i on, as a symbol if they match. */
static int add_symbol(struct finder *f, struct open_object *in, uint32_t i,
		      uint32_t rows)
{
	const struct symtab_row *row = &in->code.row[i];
	struct object_symbol s = {
		.in = in,
		.first = row,
		.rows = rows,
		.start = row->address,
		.end = row->address + row->size,
	};
	uint64_t address;
	struct object_symbol *add;

	s.by_address = f->o->by_address &&
		       object_address(&in->object, f->o->address, &address) &&
		       address >= s.start && address < s.end;
	if (s.by_address)
		s.name = span_of(row->name, strcspn(row->name, "@"));
	for (uint32_t k = 0; k < rows && !s.name.len; k++)
		s.name = matching_name(f, row[k].name);
	if (!s.name.len)
		return 0;
	add = VEC_PUSH(&f->o->symbols, f->c->arena);
	if (!add || !take_nodes(f, &s))
		return -ENOMEM;
	*add = s;
	return 0;
}

static int find_in(struct finder *f, struct open_object *in)
{
	const struct symtab *t = &in->code;
	uint32_t rows;
	int r = place_nodes(f, in) ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < t->count && r == 0; i += rows) {
		for (rows = 1; i + rows < t->count; rows++)
			if (t->row[i + rows].address != t->row[i].address)
				break;
		r = add_symbol(f, in, i, rows);
	}
	return r;
}

/* Opens a file, which may not be the one that was profiled. */
static bool open_file(struct object *o, struct report_context *c,
		      const struct mapping *m)
{
	const struct profile *p = &c->profile;
	const struct object_request request = {
		.path = profile_text(p, m->file),
		.mapping = m,
		.kernel_symbol = profile_text(p, m->kernel_symbol),
	};
	struct error why;

	if (!object_can_have_file(request.path))
		return false;
	if (binary_check(request.path, &why) < 0) {
		context_say(c, "%s", why.text);
		return false;
	}
	if (object_open(o, &request, &why) < 0) {
		context_say(c, "cannot read '%s': %s", request.path, why.text);
		return false;
	}
	if (!object_is_build(o, profile_text(p, m->build_id)))
		context_say(
			c,
			"'%s' is not the build that was profiled: its code may be another",
			request.path);
	return true;
}

static struct open_object *open_object(struct report_context *c,
				       const struct mapping *m)
{
	struct open_object *o = ARENA_NEW(c->arena, struct open_object);
	struct module *module;

	if (!o)
		return NULL;
	o->file = m->file;
	o->open = open_file(&o->object, c, m);
	if (!o->open)
		return o;
	module = &o->object.file.module;
	o->code = module->symtab;
	if (module->pclntab.count &&
	    pclntab_add_symbols(&module->pclntab, &module->symtab, &o->code,
				c->arena) < 0) {
		object_close(&o->object);
		return NULL;
	}
	return o;
}

struct open_object *objects_get(struct objects *o, struct report_context *c,
				const struct mapping *m)
{
	struct open_object *object;

	for (uint32_t i = 0; i < o->open.count; i++)
		if (o->open.at[i]->file == m->file)
			return o->open.at[i]->open ? o->open.at[i] : NULL;
	if (!VEC_RESERVE(&o->open, c->arena, 1))
		return NULL;
	object = open_object(c, m);
	if (object)
		o->open.at[o->open.count++] = object;
	return object && object->open ? object : NULL;
}

static bool mapping_matters(const struct finder *f, const struct mapping *m)
{
	if (m->file && f->sampled[m->file])
		return true;
	return f->o->by_address && m->start <= f->o->address &&
	       f->o->address <= m->limit;
}

static const struct code *read_code(struct objects *o,
				    const struct report_context *c,
				    const struct open_object *in,
				    const struct symtab_row *row,
				    struct error *err)
{
	const struct code_request request = {
		.elf = &in->object.file.module.elf,
		.start = row->address,
		.end = row->address + row->size,
		.intel = c->view.intel_syntax,
	};
	struct code *code = ARENA_NEW(&o->kept, struct code);

	if (!code) {
		error_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	return disassemble(code, &request, &o->kept, err) < 0 ? NULL : code;
}

const struct code *objects_code(struct objects *o,
				const struct report_context *c,
				struct open_object *in,
				const struct symtab_row *row, struct error *err)
{
	const struct code **place;

	if (!in->read)
		in->read = ARENA_ARRAY(&o->kept, const struct code *,
				       in->code.count);
	if (!in->read) {
		error_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	place = &in->read[row - in->code.row];
	if (!*place)
		*place = read_code(o, c, in, row, err);
	return *place;
}

void objects_make_room(struct objects *o)
{
	enum { KEEP_MOST = 64 << 20 };

	if (o->kept.mapped <= KEEP_MOST)
		return;
	for (uint32_t i = 0; i < o->open.count; i++)
		o->open.at[i]->read = NULL;
	arena_release(&o->kept);
}

bool address_parse(const char *text, uint64_t *ret)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 0);
	return !*end && !errno;
}

int objects_find(struct objects *o, struct report_context *c,
		 const struct graph_view *g, struct error *err)
{
	struct finder f = { .o = o, .c = c, .t = &g->trimmed };
	const struct profile *p = &c->profile;
	int r;

	*o = (struct objects){ 0 };
	o->by_address = address_parse(c->request->argument, &o->address);
	f.demangler = demangler_new(c->arena);
	r = f.demangler ? mark_sampled(&f) : -ENOMEM;
	if (r < 0)
		return error_set(err, r, "out of memory");
	for (uint32_t i = 1; i < p->mappings.count && r == 0; i++) {
		const struct mapping *m = &p->mappings.at[i];
		uint32_t before = o->open.count;
		struct open_object *in;

		if (!mapping_matters(&f, m))
			continue;
		in = objects_get(o, c, m);
		if (in && o->open.count > before)
			r = find_in(&f, in);
	}
	if (r < 0)
		return error_set(err, r, "out of memory");
	return 0;
}

void objects_release(struct objects *o)
{
	for (uint32_t i = 0; i < o->open.count; i++)
		if (o->open.at[i]->open)
			object_close(&o->open.at[i]->object);
	o->open.count = 0;
	arena_release(&o->kept);
}

/* SPDX-License-Identifier: MIT */
/* See linecode.h. */
#include "report/linecode.h"

#include <errno.h>

#include "base/idsort.h"
#include "elf/symtab.h"
#include "report/assembly.h"
#include "report/listing.h"
#include "report/objsym.h"
#include "symbol/demangle.h"

/* A function of a binary that has samples of the group. */
struct routine {
	struct open_object *in;
	const struct symtab_row *row;
};

struct line_finder {
	line_instruction_vec *code;
	const struct listing *l;
	const struct line_group *g;
	struct objects *objects;
	struct demangler *demangler;
	VEC(struct routine) routines;
};

/* The mapping of a node: the part of its file that it is in. */
static const struct mapping *mapping_of(const struct profile *p,
					const struct node_info *info)
{
	for (uint32_t i = 1; i < p->mappings.count; i++) {
		const struct mapping *m = &p->mappings.at[i];

		if (m->file && m->file == info->object &&
		    info->address >= m->start &&
		    (info->address < m->limit || !m->limit))
			return m;
	}
	return NULL;
}

static bool add_routine(struct line_finder *f, struct open_object *in,
			const struct symtab_row *row)
{
	struct routine *r;

	for (uint32_t i = 0; i < f->routines.count; i++)
		if (f->routines.at[i].row == row)
			return true;
	r = VEC_PUSH(&f->routines, f->l->c->arena);
	if (r)
		*r = (struct routine){ in, row };
	return r != NULL;
}

static bool find_routines(struct line_finder *f)
{
	for (uint32_t i = 0; i < f->g->count; i++) {
		const struct node_info *info = trimmed_info(&f->l->g.trimmed,
							    f->g->nodes[i]);
		const struct mapping *m = mapping_of(&f->l->c->profile, info);
		struct open_object *in = m ? objects_get(f->objects, f->l->c, m)
					   : NULL;
		const struct symtab_row *row;
		uint64_t address;

		if (!in ||
		    !object_address(&in->object, info->address, &address))
			continue;
		row = symtab_find(&in->code, address);
		if (row && !add_routine(f, in, row))
			return false;
	}
	return true;
}

/* Whether a frame is of the group's function and file. */
static bool frame_fits(struct line_finder *f, const struct symbol_frame *frame)
{
	const struct strtab *s = f->l->c->profile.strings;
	struct span name = str_span(s, f->g->function);
	struct span file = str_span(s, f->g->file);
	struct span plain = span_text(frame->function);

	if (!span_equal(path_base(span_text(frame->file)), path_base(file)))
		return false;
	return span_equal(plain, name) ||
	       (demangle(f->demangler, plain, DEMANGLE_PPROF, &plain) &&
		span_equal(plain, name));
}

/* The line of the group that an address is from; 0: none. */
static int64_t line_at(struct line_finder *f, const struct routine *r,
		       uint64_t address)
{
	struct symbol_frame frames[SYMBOL_FRAMES];
	uint32_t depth = module_find(&r->in->object.file.module, address,
				     frames);

	for (uint32_t i = 0; i < depth; i++)
		if (frame_fits(f, &frames[i]))
			return frames[i].line;
	return 0;
}

/* Adds up the group's nodes from an instruction to the next. */
static void take_costs(const struct line_finder *f, const struct routine *r,
		       struct line_instruction *insn, uint64_t next)
{
	const struct trimmed *t = &f->l->g.trimmed;

	for (uint32_t i = 0; i < f->g->count; i++) {
		const struct graph_node *n = &t->graph.nodes.at[f->g->nodes[i]];
		uint64_t address;

		if (!object_address(&r->in->object,
				    trimmed_info(t, f->g->nodes[i])->address,
				    &address) ||
		    address < insn->address || address >= next)
			continue;
		insn->flat += node_flat(n);
		insn->cum += node_cum(n);
	}
}

static int add_code(struct line_finder *f, const struct routine *r)
{
	const struct code *code = objects_code(f->objects, f->l->c, r->in,
					       r->row, NULL);

	/* What can not be disassembled is not shown. */
	for (uint32_t i = 0; code && i < code->instructions.count; i++) {
		const struct instruction *from = &code->instructions.at[i];
		uint64_t next = i + 1 < code->instructions.count
					? from[1].address
					: r->row->address + r->row->size;
		int64_t line = line_at(f, r, from->address);
		struct line_instruction *to;

		if (!line)
			continue;
		to = VEC_PUSH(f->code, f->l->c->arena);
		if (!to)
			return -ENOMEM;
		*to = (struct line_instruction){ .line = line,
						 .address = from->address,
						 .text = from->text };
		take_costs(f, r, to, next);
	}
	return 0;
}

static bool instruction_before(const void *context, uint32_t a, uint32_t b)
{
	const line_instruction_vec *code = context;

	if (code->at[a].line != code->at[b].line)
		return code->at[a].line < code->at[b].line;
	return code->at[a].address < code->at[b].address;
}

static int sort(line_instruction_vec *code, struct arena *arena)
{
	uint32_t count = code->count;
	uint32_t *ids = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)count + 1);
	line_instruction_vec sorted = { 0 };

	if (!ids || !VEC_RESERVE(&sorted, arena, count))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		ids[i] = i;
	sort_ids(ids, ids + count, count, instruction_before, code);
	for (uint32_t i = 0; i < count; i++)
		sorted.at[sorted.count++] = code->at[ids[i]];
	*code = sorted;
	return 0;
}

int line_code_find(line_instruction_vec *code, const struct listing *l,
		   const struct line_group *g, struct objects *objects)
{
	struct line_finder f = { .code = code,
				 .l = l,
				 .g = g,
				 .objects = objects,
				 .demangler = demangler_new(l->c->arena) };
	int r = 0;

	code->count = 0;
	objects_make_room(objects);
	if (!f.demangler || !find_routines(&f))
		return -ENOMEM;
	for (uint32_t i = 0; i < f.routines.count && r == 0; i++)
		r = add_code(&f, &f.routines.at[i]);
	return r < 0 ? r : sort(code, l->c->arena);
}

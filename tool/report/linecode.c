/* SPDX-License-Identifier: MIT */
/* See linecode.h. */
#include "report/linecode.h"

#include <errno.h>

#include "base/idsort.h"
#include "base/sort.h"
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
	struct sort_item *places; /* of nodes, by address in their file; extra
				     is the number of a routine */
	uint32_t place_count;
};

static bool is_in(const struct mapping *m, const struct node_info *info)
{
	return m->file && m->file == info->object &&
	       info->address >= m->start &&
	       (info->address < m->limit || !m->limit);
}

/* The mapping of a node: the part of its file that it is in, often that of the
 * one before.  0: none. */
static mapping_id mapping_of(const struct profile *p,
			     const struct node_info *info, mapping_id before)
{
	if (before && is_in(&p->mappings.at[before], info))
		return before;
	for (mapping_id i = 1; i < p->mappings.count; i++)
		if (is_in(&p->mappings.at[i], info))
			return i;
	return 0;
}

static struct open_object *object_of(const struct line_finder *f, mapping_id id)
{
	return id ? objects_get(f->objects, f->l->c,
				&f->l->c->profile.mappings.at[id])
		  : NULL;
}

/* Where in their files the nodes are; false if memory ran out. */
static bool find_places(struct line_finder *f)
{
	const struct profile *p = &f->l->c->profile;
	mapping_id in = 0;

	f->places = ARENA_ARRAY(f->l->c->arena, struct sort_item,
				2 * (size_t)f->g->count);
	if (!f->places)
		return false;
	for (uint32_t i = 0; i < f->g->count; i++) {
		const struct node_info *info = trimmed_info(&f->l->g.trimmed,
							    f->g->nodes[i]);
		struct open_object *object;
		uint64_t address;

		in = mapping_of(p, info, in);
		object = object_of(f, in);
		if (object &&
		    object_address(&object->object, info->address, &address))
			f->places[f->place_count++] = (struct sort_item){
				address, f->g->nodes[i], in
			};
	}
	sort_items(f->places, f->places + f->g->count, f->place_count);
	return true;
}

/* The number of a routine, which is that of the last place for most; UINT32_MAX
 * if memory ran out. */
static uint32_t add_routine(struct line_finder *f, struct open_object *in,
			    const struct symtab_row *row)
{
	struct routine *r;

	for (uint32_t i = f->routines.count; i-- > 0;)
		if (f->routines.at[i].row == row)
			return i;
	r = VEC_PUSH(&f->routines, f->l->c->arena);
	if (!r)
		return UINT32_MAX;
	*r = (struct routine){ in, row };
	return f->routines.count - 1;
}

/* What is in no routine is left out of the places. */
static bool find_routines(struct line_finder *f)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < f->place_count; i++) {
		struct sort_item place = f->places[i];
		struct open_object *in = object_of(f, place.extra);
		const struct symtab_row *row = symtab_find(&in->code,
							   place.key);

		if (!row)
			continue;
		place.extra = add_routine(f, in, row);
		if (place.extra == UINT32_MAX)
			return false;
		f->places[kept++] = place;
	}
	f->place_count = kept;
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

/* Adds up the nodes of a routine from an instruction to the next. */
static void take_costs(const struct line_finder *f, uint32_t routine,
		       struct line_instruction *insn, uint64_t next)
{
	const struct trimmed *t = &f->l->g.trimmed;
	size_t i = sort_find(f->places, f->place_count, insn->address);

	for (; i < f->place_count && f->places[i].key < next; i++) {
		const struct sort_item *place = &f->places[i];

		if (place->extra != routine)
			continue;
		insn->flat += node_flat(&t->graph.nodes.at[place->id]);
		insn->cum += node_cum(&t->graph.nodes.at[place->id]);
	}
}

static int add_code(struct line_finder *f, uint32_t routine)
{
	const struct routine *r = &f->routines.at[routine];
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
		take_costs(f, routine, to, next);
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
	if (!f.demangler || !find_places(&f) || !find_routines(&f))
		return -ENOMEM;
	for (uint32_t i = 0; i < f.routines.count && r == 0; i++)
		r = add_code(&f, i);
	return r < 0 ? r : sort(code, l->c->arena);
}

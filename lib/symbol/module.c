/* SPDX-License-Identifier: MIT */
/*
 * Opening modules and answering for addresses.  Opening reads headers only:
 * which unit has which code.  A unit is read when the first address in it is
 * asked for.
 */
#include "symbol/module.h"

#include <errno.h>

#include "base/error.h"
#include "dwarf/line.h"
#include "symbol/index.h"

/* What stands for a part that was built and turned out empty. */
static const struct function_index no_functions = { .text = "" };
static const struct line_index no_lines = { .text = "" };

static int check_id(const struct module *m, const struct build_id *expected,
		    struct error *err)
{
	if (!expected->len || build_id_equal(&m->id, expected))
		return 0;
	return error_set(err, -ESTALE,
			 "binary replaced since the recording: "
			 "its build id differs");
}

static int list_units(struct module *m)
{
	code_range_vec ranges = { 0 };
	struct arena scratch = { 0 };
	bool ok = true;

	m->unit = ARENA_ARRAY(&m->arena, struct module_unit,
			      m->dwarf.unit_count);
	for (uint32_t i = 0; ok && i < m->dwarf.unit_count; i++)
		ok = builder_ranges(&m->builder, &m->source, i, &ranges,
				    &scratch);
	ok = ok && m->unit &&
	     flatten(ranges.at, ranges.count, &m->ranges, &m->arena);
	arena_release(&scratch);
	return ok ? 0 : -ENOMEM;
}

/* Opens the debug information of elf; it may have none. */
static int open_debug(struct module *m, const struct elf *elf, const char *path,
		      struct error *err)
{
	int r = dwarf_open(&m->dwarf, elf, false, &m->arena, err);

	if (r < 0)
		return r;
	m->source.dwarf = &m->dwarf;
	m->source.path = path;
	r = list_units(m);
	if (r < 0)
		return error_set_errno(err, r, "cannot list units");
	m->has_dwarf = true;
	return 0;
}

static int open_parts(struct module *m, const char *path,
		      const struct module_options *o, struct error *err)
{
	int r = elf_open(&m->elf, m->file.bytes, err);

	if (r < 0)
		return r;
	(void)build_id_of(&m->elf, &m->id);
	r = check_id(m, &o->expected, err);
	if (r < 0)
		return r;
	code_area_of(&m->source.area, &m->elf);
	r = symtab_build(&m->symtab, &m->elf, &m->arena);
	if (r < 0)
		return error_set_errno(err, r, "cannot sort symbols");
	if (o->symbols_only)
		return 0;
	r = open_debug(m, &m->elf, arena_text(&m->arena, path, strlen(path)),
		       err);
	return r == -ENODATA ? 0 : r;
}

int module_open(struct module *m, const char *path,
		const struct module_options *options, struct error *err)
{
	int r;

	*m = (struct module){ 0 };
	r = file_map(&m->file, path, err);
	if (r < 0)
		return r;
	r = open_parts(m, path, options, err);
	if (r < 0) {
		error_prefix(err, "'%s'", path);
		module_close(m);
	}
	return r;
}

void module_close(struct module *m)
{
	builder_release(&m->builder);
	arena_release(&m->arena);
	file_unmap(&m->file);
	*m = (struct module){ 0 };
}

uint32_t module_unit_of(const struct module *m, uint64_t address)
{
	uint32_t pc, owner;

	if (!m->has_dwarf || !code_area_pc(&m->source.area, address, &pc))
		return UINT32_MAX;
	owner = code_segments_find(&m->ranges, pc);
	return owner ? m->dwarf.unit_count - owner : UINT32_MAX;
}

uint32_t module_unit_count(const struct module *m)
{
	return m->has_dwarf ? m->dwarf.unit_count : 0;
}

uint64_t module_unit_size(const struct module *m, uint32_t unit)
{
	return m->dwarf.unit[unit].end - m->dwarf.unit[unit].offset;
}

void module_forget_pages(const struct module *m)
{
	file_forget_pages(&m->file);
}

bool module_is_built(const struct module *m, uint32_t unit,
		     enum module_part part)
{
	if (part == MODULE_FUNCTIONS)
		return m->unit[unit].functions != NULL;
	return m->unit[unit].lines != NULL;
}

static const struct function_index *build_functions(struct module *m,
						    uint32_t unit,
						    struct builder *b)
{
	struct span bytes = builder_functions(b, &m->source,
					      &m->dwarf.unit[unit]);
	struct function_index *x = ARENA_NEW(&b->kept, struct function_index);

	return x && function_index_open(x, bytes) ? x : &no_functions;
}

static const struct line_index *build_lines(struct module *m, uint32_t unit,
					    struct builder *b)
{
	struct span bytes = builder_lines(b, &m->source, &m->dwarf.unit[unit]);
	struct line_index *x = ARENA_NEW(&b->kept, struct line_index);

	return x && line_index_open(x, bytes) ? x : &no_lines;
}

void module_build(struct module *m, uint32_t unit, enum module_part part,
		  struct builder *b)
{
	if (part == MODULE_FUNCTIONS)
		m->unit[unit].functions = build_functions(m, unit, b);
	else
		m->unit[unit].lines = build_lines(m, unit, b);
}

static void set_file(struct symbol_frame *f, const struct line_index *x,
		     uint32_t file)
{
	if (file >= x->file_count)
		return;
	f->directory = index_text(x->text, x->text_len,
				  x->file[file].directory);
	f->file = index_text(x->text, x->text_len, x->file[file].name);
}

static struct symbol_frame unknown_frame(void)
{
	return (struct symbol_frame){
		.function = "",
		.directory = "",
		.file = "",
	};
}

/* The place of an address, not yet with a function. */
static struct symbol_frame place_at(const struct line_index *x, uint32_t pc)
{
	const struct index_place *place = line_index_find(x, pc);
	struct symbol_frame f = unknown_frame();

	if (!place)
		return f;
	set_file(&f, x, place->where >> LINE_COLUMN_BITS);
	f.line = place->line;
	f.column = place->where & LINE_COLUMN_MAX;
	return f;
}

/* Follows the inlined calls at pc outwards. */
static uint32_t follow_calls(const struct module_unit *u, uint32_t pc,
			     struct symbol_frame *frames)
{
	const struct function_index *x = u->functions;
	uint32_t node = function_index_find(x, pc);
	uint32_t count = 0;

	frames[0] = place_at(u->lines, pc);
	while (node) {
		const struct index_node *n = &x->node[node];
		struct symbol_frame *f = &frames[count++];
		bool last = n->parent >= node || count == SYMBOL_FRAMES;

		f->function = index_text(x->text, x->text_len, n->name);
		f->start_line = n->decl_line;
		f->inlined = n->parent && !last;
		node = last ? 0 : n->parent;
		if (!f->inlined)
			break;
		f[1] = unknown_frame();
		set_file(&f[1], u->lines, n->call_file);
		f[1].line = n->call_line;
		f[1].column = n->call_column;
	}
	return count;
}

static uint32_t find_in_debug(struct module *m, uint64_t address,
			      struct symbol_frame *frames)
{
	uint32_t unit = module_unit_of(m, address);

	if (unit == UINT32_MAX)
		return 0;
	for (enum module_part part = 0; part < MODULE_PARTS; part++)
		if (!module_is_built(m, unit, part))
			module_build(m, unit, part, &m->builder);
	return follow_calls(&m->unit[unit],
			    (uint32_t)(address - m->source.area.base), frames);
}

uint32_t module_find(struct module *m, uint64_t address,
		     struct symbol_frame *frames)
{
	const struct symtab_row *row;
	uint32_t count;

	frames[0] = unknown_frame();
	count = find_in_debug(m, address, frames);
	if (count && *frames[count - 1].function)
		return count;
	row = symtab_find(&m->symtab, address);
	if (!row)
		return count ? count : frames[0].line > 0;
	if (!count)
		count = 1;
	frames[count - 1].function = row->name;
	return count;
}

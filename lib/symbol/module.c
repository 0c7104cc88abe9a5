/* SPDX-License-Identifier: MIT */
/*
 * Opening modules and answering for addresses.  Opening reads headers only:
 * which unit has which code.  A unit is read when the first address in it is
 * asked for.
 */
#include "symbol/module.h"

#include <elf.h>
#include <errno.h>

#include "base/error.h"
#include "base/fmt.h"
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
	ok = ok && m->unit && builder_aranges(&m->source, &ranges, &scratch) &&
	     flatten(ranges.at, ranges.count, &m->ranges, &m->arena);
	arena_release(&scratch);
	return ok ? 0 : -ENOMEM;
}

/* The split units of a program in one file beside it. */
static void open_package(struct module *m, const char *program)
{
	struct found_file *f = &m->package;
	char path[SEARCH_PATH];

	fmt_text(path, sizeof(path), "%s.dwp", program);
	if (file_map(&f->file, path, NULL) < 0)
		return;
	search_note(&m->log, path, "found");
	if (elf_open(&f->elf, f->file.bytes, NULL) == 0 &&
	    dwarf_open(&m->package_dwarf, &f->elf, true, &m->arena, NULL) == 0)
		m->source.package = &m->package_dwarf;
}

static void open_alt(struct module *m, const struct elf *elf,
		     const struct search_places *places)
{
	if (search_alt_file(places, elf, m->debug_path, &m->log, &m->alt) &&
	    dwarf_open(&m->alt_dwarf, &m->alt.elf, false, &m->arena, NULL) == 0)
		m->dwarf.alt = &m->alt_dwarf;
}

/* Opens the debug information in elf, the file at path. */
static int open_debug(struct module *m, const struct elf *elf, const char *path,
		      const struct module_options *o)
{
	struct error err = { 0 };
	int r = dwarf_open(&m->dwarf, elf, false, &m->arena, &err);

	search_note(&m->log, path, r < 0 ? err.text : "has debug information");
	if (r < 0)
		return r;
	m->debug_path = path;
	m->source.dwarf = &m->dwarf;
	m->source.path = path;
	open_alt(m, elf, &o->places);
	r = list_units(m);
	m->has_dwarf = r == 0;
	return r;
}

/* Finds debug information: in the program, else in a file of its own. */
static int find_debug(struct module *m, const char *path,
		      const struct module_options *o)
{
	int r = open_debug(m, &m->elf, path, o);

	if (r < 0 && r != -ENOMEM && !o->no_search &&
	    search_debug_file(&o->places, &m->elf, path, &m->log, &m->debug))
		r = open_debug(m, &m->debug.elf, m->debug.path, o);
	if (r == 0)
		open_package(m, path);
	return r == -ENOMEM ? r : 0;
}

/* Sorts the symbols of all files that have some. */
static int collect_symbols(struct module *m)
{
	struct elf all[3] = { m->elf };
	unsigned count = 1;
	struct elf_section s;

	if (m->debug.path)
		all[count++] = m->debug.elf;
	if (!elf_find_type(&m->elf, SHT_SYMTAB, &s) &&
	    search_embedded_symbols(&m->elf, &m->log, &m->embedded))
		all[count++] = m->embedded;
	return symtab_build_all(&m->symtab, all, count, &m->arena);
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
	path = arena_text(&m->arena, path, strlen(path));
	if (!path)
		return error_set(err, -ENOMEM, "out of memory");
	if (!o->symbols_only)
		r = find_debug(m, path, o);
	if (r == 0)
		r = collect_symbols(m);
	return r < 0 ? error_set_errno(err, r, "cannot read symbols") : 0;
}

int module_open(struct module *m, const char *path,
		const struct module_options *options, struct error *err)
{
	int r;

	*m = (struct module){ 0 };
	m->log.arena = &m->arena;
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
	file_unmap(&m->package.file);
	file_unmap(&m->alt.file);
	file_unmap(&m->debug.file);
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
	file_forget_pages(&m->package.file);
	file_forget_pages(&m->alt.file);
	file_forget_pages(&m->debug.file);
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

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/*
 * Whether the symbol's name says more than the one from debug information:
 * compilers leave linkage names out with -gline-tables-only and for instances
 * that involve local types.
 */
static bool prefer_symbol(const char *name, const char *symbol)
{
	return !*name || (is_mangled(symbol) && !is_mangled(name));
}

uint32_t module_find(struct module *m, uint64_t address,
		     struct symbol_frame *frames)
{
	const struct symtab_row *row;
	uint32_t count;

	frames[0] = unknown_frame();
	count = find_in_debug(m, address, frames);
	if (count && is_mangled(frames[count - 1].function))
		return count;
	row = symtab_find(&m->symtab, address);
	if (!row)
		return count ? count : frames[0].line > 0;
	if (!count)
		count = 1;
	if (prefer_symbol(frames[count - 1].function, row->name))
		frames[count - 1].function = row->name;
	return count;
}

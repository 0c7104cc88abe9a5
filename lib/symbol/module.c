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
#include "elf/relocate.h"
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

/* Finds out which unit has which code. */
static int list_units(struct module *m)
{
	code_range_vec ranges = { 0 };
	struct arena scratch = { 0 };
	bool ok = true;

	m->unit_count = m->dwarf.unit_count;
	m->unit = ARENA_ARRAY(&m->arena, struct module_unit, m->unit_count);
	for (uint32_t i = 0; ok && i < m->unit_count; i++)
		ok = builder_ranges(&m->builder, &m->source, i, &ranges,
				    &scratch);
	ok = ok && m->unit && builder_aranges(&m->source, &ranges, &scratch) &&
	     flatten(ranges.at, ranges.count, &m->ranges, &m->arena, &scratch);
	arena_release(&scratch);
	if (ok)
		return 0;
	m->unit_count = 0;
	return -ENOMEM;
}

/* The same, from the cache. */
static bool list_cached_units(struct module *m)
{
	const struct cache *c = &m->cache;

	if (!VEC_RESERVE(&m->ranges, &m->arena, c->segment_count))
		return false;
	for (uint32_t i = 0; i < c->segment_count; i++) {
		struct code_segment s = cache_segment(c, i);

		if (s.owner > c->unit_count)
			return false;
		m->ranges.at[m->ranges.count++] = s;
	}
	m->unit = ARENA_ARRAY(&m->arena, struct module_unit, c->unit_count);
	m->unit_count = m->unit ? c->unit_count : 0;
	return m->unit != NULL;
}

/* The split units of a program in one file beside it. */
static void open_package(struct module *m, const char *program,
			 const struct search_places *places)
{
	struct found_file *f = &m->package;
	char path[SEARCH_PATH];

	fmt_text(path, sizeof(path), "%s.dwp", program);
	if (search_map(places, path, &f->file, NULL) < 0)
		return;
	search_note(&m->log, path, "found");
	if (elf_open(&f->elf, f->file.bytes, NULL) == 0 &&
	    dwarf_open(&m->package_dwarf, &f->elf, true, &m->arena, NULL) == 0)
		m->source.package = &m->package_dwarf;
}

/* Reads the debug sections, of which only the existence was known. */
static int read_debug(struct module *m)
{
	struct error err = { 0 };
	int r;

	if (m->source.dwarf)
		return 0;
	if (!m->debug_elf)
		return -ENODATA;
	r = dwarf_open(&m->dwarf, m->debug_elf, false, &m->arena, &err);
	if (r < 0) {
		search_note(&m->log, m->debug_path, err.text);
		return r;
	}
	if (m->alt.path &&
	    dwarf_open(&m->alt_dwarf, &m->alt.elf, false, &m->arena, NULL) == 0)
		m->dwarf.alt = &m->alt_dwarf;
	m->source.path = m->debug_path;
	m->source.file = m->debug_elf == &m->elf ? &m->file : &m->debug.file;
	m->source.places = &m->places;
	m->source.dwarf = &m->dwarf;
	return 0;
}

static bool has_debug_sections(const struct elf *elf)
{
	struct elf_section s;

	return elf_find_section(elf, ".debug_info", &s) ||
	       elf_find_section(elf, ".zdebug_info", &s);
}

/* Finds the file with debug information: the program, or one of its own. */
static void find_debug(struct module *m, const char *path,
		       const struct module_options *o)
{
	m->key = (struct cache_key){
		.id = m->id,
		.base = m->source.area.base,
		.identity = m->file.identity,
	};
	if (has_debug_sections(&m->elf)) {
		m->debug_elf = &m->elf;
		m->debug_path = path;
	}
	search_note(&m->log, path,
		    m->debug_elf ? "has debug information"
				 : "no debug information in the file itself");
	if (!m->debug_elf && !o->no_search &&
	    search_debug_file(&o->places, &m->elf, path, &m->log, &m->debug)) {
		/* Unplaced, its addresses would be those of no section. */
		(void)elf_place_sections(&m->debug.elf, &m->arena);
		m->debug_elf = &m->debug.elf;
		m->debug_path = m->debug.path;
		m->key.identity = m->debug.file.identity;
	}
	if (!m->debug_elf)
		return;
	if (search_alt_file(&o->places, m->debug_elf, m->debug_path, &m->log,
			    &m->alt))
		m->key.identity ^= m->alt.file.identity;
	open_package(m, path, &o->places);
	m->key.identity ^= m->package.file.identity;
}

/* Lists the units that have code. */
static int open_units(struct module *m, const struct module_options *o)
{
	struct span bytes = { 0 };
	int r;

	if (!m->debug_elf)
		return 0;
	if (o->cached && m->id.len)
		bytes = o->cached(o->cache_context, &m->id);
	if (cache_open(&m->cache, bytes, &m->key) && list_cached_units(m))
		return 0;
	m->cache = (struct cache){ 0 };
	m->ranges.count = 0;
	r = read_debug(m);
	if (r == 0)
		r = list_units(m);
	return r == -ENOMEM ? r : 0;
}

int module_load(struct module *m)
{
	int r = read_debug(m);

	if (r < 0)
		return r;
	/* Only if the file changed under a cache that fitted it. */
	return m->dwarf.unit_count == m->unit_count ? 0 : -ESTALE;
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

static int open_parts(struct module *m, struct span image, const char *path,
		      const struct module_options *o, struct error *err)
{
	int r = elf_open(&m->elf, image, err);

	if (r < 0)
		return r;
	if (elf_place_sections(&m->elf, &m->arena) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	(void)build_id_of(&m->elf, &m->id);
	r = check_id(m, &o->expected, err);
	if (r < 0)
		return r;
	code_area_of(&m->source.area, &m->elf);
	m->places = o->places;
	path = arena_text(&m->arena, path, strlen(path));
	if (!path)
		return error_set(err, -ENOMEM, "out of memory");
	if (pclntab_open(&m->pclntab, &m->elf))
		search_note(&m->log, path, "has Go's table of lines");
	if (!o->symbols_only) {
		find_debug(m, path, o);
		r = open_units(m, o);
	}
	if (r == 0)
		r = collect_symbols(m);
	return r < 0 ? error_set_errno(err, r, "cannot read symbols") : 0;
}

int module_open_image(struct module *m, struct span image, const char *name,
		      const struct module_options *options, struct error *err)
{
	int r;

	*m = (struct module){ 0 };
	m->log.arena = &m->arena;
	r = open_parts(m, image, name, options, err);
	if (r < 0) {
		error_prefix(err, "'%s'", name);
		module_close(m);
	}
	return r;
}

int module_open_mapped(struct module *m, struct mapped_file *file,
		       const char *name, const struct module_options *options,
		       struct error *err)
{
	int r;

	*m = (struct module){ .file = *file };
	*file = (struct mapped_file){ 0 };
	m->log.arena = &m->arena;
	r = open_parts(m, m->file.bytes, name, options, err);
	if (r < 0) {
		error_prefix(err, "'%s'", name);
		module_close(m);
	}
	return r;
}

int module_open(struct module *m, const char *path,
		const struct module_options *options, struct error *err)
{
	struct mapped_file file;
	int r = options->places.copied ? file_copy_in(&file, NULL, path, err)
				       : file_map(&file, path, err);

	return r < 0 ? r : module_open_mapped(m, &file, path, options, err);
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

uint32_t module_unit_of(struct module *m, uint64_t address)
{
	uint32_t pc, owner;

	if (!m->unit_count || !code_area_pc(&m->source.area, address, &pc))
		return UINT32_MAX;
	owner = code_segments_find(&m->ranges, pc, &m->near);
	return owner ? m->unit_count - owner : UINT32_MAX;
}

uint32_t module_unit_count(const struct module *m)
{
	return m->unit_count;
}

uint64_t module_unit_size(const struct module *m, uint32_t unit)
{
	if (!m->source.dwarf || unit >= m->dwarf.unit_count)
		return 0;
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
		     enum index_part part)
{
	if (part == INDEX_FUNCTIONS)
		return m->unit[unit].functions != NULL;
	return m->unit[unit].lines != NULL;
}

/* The bytes of a part, built anew. */
static struct span part_bytes(const struct module *m, uint32_t unit,
			      enum index_part part, struct builder *b)
{
	if (!m->source.dwarf || unit >= m->dwarf.unit_count)
		return (struct span){ 0 };
	if (part == INDEX_FUNCTIONS)
		return builder_functions(b, &m->source, &m->dwarf.unit[unit]);
	return builder_lines(b, &m->source, &m->dwarf.unit[unit]);
}

static const struct function_index *open_functions(struct span bytes,
						   struct builder *b)
{
	struct function_index *x = ARENA_NEW(&b->kept, struct function_index);

	return x && function_index_open(x, bytes) ? x : &no_functions;
}

static const struct line_index *open_lines(struct span bytes, struct builder *b)
{
	struct line_index *x = ARENA_NEW(&b->kept, struct line_index);

	return x && line_index_open(x, bytes) ? x : &no_lines;
}

static void open_part(struct module *m, uint32_t unit, enum index_part part,
		      struct span bytes, struct builder *b)
{
	struct module_unit *u = &m->unit[unit];

	u->bytes[part] = bytes;
	if (part == INDEX_FUNCTIONS)
		u->functions = open_functions(bytes, b);
	else
		u->lines = open_lines(bytes, b);
}

bool module_take_cached(struct module *m, uint32_t unit, enum index_part part,
			struct builder *b)
{
	struct span bytes;

	if (!cache_part(&m->cache, unit, part, &bytes))
		return false;
	open_part(m, unit, part, bytes, b);
	return true;
}

void module_build(struct module *m, uint32_t unit, enum index_part part,
		  struct builder *b)
{
	open_part(m, unit, part, part_bytes(m, unit, part, b), b);
}

/* A part for the cache: built now, or there before. */
static bool part_to_write(void *context, uint32_t unit, enum index_part part,
			  struct span *ret)
{
	const struct module *m = context;

	if (!module_is_built(m, unit, part))
		return cache_part(&m->cache, unit, part, ret);
	*ret = m->unit[unit].bytes[part];
	return true;
}

void module_write_cache(const struct module *m, struct sink *out)
{
	const struct cache_content content = {
		.key = m->key,
		.segment = m->ranges.at,
		.segment_count = m->ranges.count,
		.unit_count = m->unit_count,
		.part = part_to_write,
		.context = (void *)m,
	};

	cache_write(&content, out);
}

/* Whether p points into the cache file. */
static bool in_cache(const struct module *m, const uint8_t *p)
{
	return p >= m->cache.bytes.at &&
	       p < m->cache.bytes.at + m->cache.bytes.len;
}

uint64_t module_new_bytes(const struct module *m)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->unit_count; i++)
		for (enum index_part p = 0; p < INDEX_PARTS; p++)
			if (!in_cache(m, m->unit[i].bytes[p].at))
				sum += m->unit[i].bytes[p].len;
	return sum;
}

bool module_cache_is_damaged(const struct module *m)
{
	for (uint32_t i = 0; i < m->unit_count; i++)
		for (enum index_part p = 0; p < INDEX_PARTS; p++)
			if (module_is_built(m, i, p) &&
			    m->unit[i].bytes[p].len &&
			    !in_cache(m, m->unit[i].bytes[p].at) &&
			    cache_claims(&m->cache, i, p))
				return true;
	return false;
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
static struct symbol_frame place_at(struct module_unit *u, uint32_t pc)
{
	const struct line_index *x = u->lines;
	const struct index_place *place = line_index_find(
		x, pc, &u->near[INDEX_LINES]);
	struct symbol_frame f = unknown_frame();

	if (!place)
		return f;
	set_file(&f, x, place->where >> LINE_COLUMN_BITS);
	f.line = place->line;
	f.column = place->where & LINE_COLUMN_MAX;
	return f;
}

/* Follows the inlined calls at pc outwards. */
static uint32_t follow_calls(struct module_unit *u, uint32_t pc,
			     struct symbol_frame *frames)
{
	const struct function_index *x = u->functions;
	uint32_t node = function_index_find(x, pc, &u->near[INDEX_FUNCTIONS]);
	uint32_t count = 0;

	frames[0] = place_at(u, pc);
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

static void build_now(struct module *m, uint32_t unit, enum index_part part)
{
	if (module_take_cached(m, unit, part, &m->builder))
		return;
	/* Failing to load means that the part stays empty. */
	(void)module_load(m);
	module_build(m, unit, part, &m->builder);
}

static uint32_t find_in_debug(struct module *m, uint64_t address,
			      struct symbol_frame *frames)
{
	uint32_t unit = module_unit_of(m, address);

	if (unit == UINT32_MAX)
		return 0;
	for (enum index_part part = 0; part < INDEX_PARTS; part++)
		if (!module_is_built(m, unit, part))
			build_now(m, unit, part);
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
	if (!count && m->pclntab.count)
		count = pclntab_find(&m->pclntab, &m->pclntab_at, address,
				     frames);
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

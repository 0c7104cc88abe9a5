/* SPDX-License-Identifier: MIT */
/*
 * From DWARF to the indexes of units.  The only place that knows about split
 * units: their functions are in another file, their lines and addresses are
 * not.  What is built does not refer to any of the files.
 */
#include "symbol/builder.h"

#include "base/fmt.h"
#include "dwarf/constants.h"
#include "dwarf/range.h"
#include "elf/image.h"
#include "symbol/file.h"
#include "symbol/index.h"
#include "symbol/search.h"

enum {
	PATH_LEN = 4096,
	LEAST_BUDGET = 16 << 20,
	BUDGET_FACTOR = 64,
	FORGET_FROM = 4 << 20,
};

/* Limits the work that a file can cause to a multiple of its size. */
static void start(struct builder *b, const struct dwarf *d)
{
	uint64_t size = d->info.len + d->abbrev.len + d->line.len +
			d->ranges.len + d->rnglists.len;

	if (b->started)
		return;
	b->started = true;
	b->tree.arena = &b->scratch;
	b->tree.passing = &b->passing;
	b->tree.budget = LEAST_BUDGET + BUDGET_FACTOR * size;
	b->line_budget = b->tree.budget;
}

void builder_release(struct builder *b)
{
	arena_release(&b->scratch);
	arena_release(&b->passing);
	arena_release(&b->kept);
	*b = (struct builder){ 0 };
}

static struct span write_functions(struct builder *b, const struct dwarf_cu *cu,
				   const struct debug_source *s)
{
	struct span result = { 0 };
	bool built = tree_build(&b->tree, cu, &s->area);

	/* A huge unit has been read; its names will be: not both at once. */
	if (s->file && cu->unit->end - cu->unit->offset > FORGET_FROM)
		file_forget_pages(s->file);
	if (built && b->tree.segments.count)
		result = function_index_write(&b->tree, &b->kept, &b->passing);
	arena_reset(&b->passing);
	return result;
}

/* The functions of a split unit, whose skeleton is main. */
static struct span split_functions(struct builder *b,
				   const struct debug_source *s,
				   const struct dwarf *split,
				   const struct dwarf_cu *main)
{
	struct span result = { 0 };

	for (uint32_t i = 0; i < split->unit_count && !result.len; i++) {
		struct cu_entry entry;
		struct dwarf_cu cu;

		if (!tree_open_unit(&b->tree, split, &split->unit[i], &cu,
				    &entry))
			continue;
		cu.main = main->file;
		cu.addr_base = main->addr_base;
		cu.ranges_base = main->ranges_base;
		cu.low_pc = main->low_pc;
		result = write_functions(b, &cu, s);
	}
	/* The tables just read are about to go away. */
	b->tree.abbrevs.file = NULL;
	return result;
}

/* Whether a split file is the one that the skeleton was made with. */
static bool split_matches(struct builder *b, const struct dwarf *split,
			  uint64_t dwo_id)
{
	struct cu_entry entry;
	struct dwarf_cu cu;
	bool match = false;

	for (uint32_t i = 0; i < split->unit_count && !match; i++)
		match = tree_open_unit(&b->tree, split, &split->unit[i], &cu,
				       &entry) &&
			entry.dwo_id == dwo_id;
	b->tree.abbrevs.file = NULL;
	return match;
}

static struct span functions_in_file(struct builder *b,
				     const struct debug_source *s,
				     const char *path,
				     const struct dwarf_cu *main,
				     uint64_t dwo_id)
{
	struct arena arena = { 0 };
	struct mapped_file file = { 0 };
	struct span result = { 0 };
	struct dwarf split;
	struct elf elf;

	if (search_map(s->places, path, &file, NULL) < 0)
		return result;
	if (elf_open(&elf, file.bytes, NULL) == 0 &&
	    dwarf_open(&split, &elf, true, &arena, NULL) == 0 &&
	    split_matches(b, &split, dwo_id))
		result = split_functions(b, s, &split, main);
	arena_release(&arena);
	file_unmap(&file);
	return result;
}

/* The length of path's directory, with its slash. */
static size_t directory_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Where .dwo files are looked for: as compiled, then beside the program. */
static struct span functions_in_dwo(struct builder *b,
				    const struct debug_source *s,
				    const struct cu_entry *entry,
				    const struct dwarf_cu *main)
{
	const char *root = s->places->root ? s->places->root : "";
	const char *name = entry->dwo_name;
	struct span result = { 0 };
	char path[PATH_LEN];

	if (name[0] == '/')
		fmt_text(path, sizeof(path), "%s%s", root, name);
	else
		fmt_text(path, sizeof(path), "%s%s/%s", root, entry->comp_dir,
			 name);
	result = functions_in_file(b, s, path, main, entry->dwo_id);
	if (result.len)
		return result;
	fmt_text(path, sizeof(path), "%.*s%s", (int)directory_len(s->path),
		 s->path, name + directory_len(name));
	return functions_in_file(b, s, path, main, entry->dwo_id);
}

/* Opens the unit again with a table that no split file displaces. */
static bool open_skeleton(const struct dwarf_cu *cu, struct abbrevs *abbrevs,
			  struct arena *arena, struct dwarf_cu *ret,
			  struct cu_entry *entry)
{
	return abbrevs_read(abbrevs, cu->file, cu->unit, arena) &&
	       cu_open(ret, cu->file, cu->unit, abbrevs, entry);
}

static struct span functions_elsewhere(struct builder *b,
				       const struct debug_source *s,
				       const struct dwarf_cu *cu)
{
	struct arena arena = { 0 };
	struct abbrevs abbrevs = { 0 };
	struct span result = { 0 };
	struct cu_entry entry;
	struct dwarf_cu main;
	struct dwarf split;

	if (!open_skeleton(cu, &abbrevs, &arena, &main, &entry))
		goto out;
	if (s->package &&
	    dwarf_package_find(s->package, entry.dwo_id, &arena, &split))
		result = split_functions(b, s, &split, &main);
	if (!result.len)
		result = functions_in_dwo(b, s, &entry, &main);
out:
	arena_release(&arena);
	return result;
}

struct span builder_functions(struct builder *b, const struct debug_source *s,
			      const struct dwarf_unit *unit)
{
	struct span result = { 0 };
	struct cu_entry entry;
	struct dwarf_cu cu;

	start(b, s->dwarf);
	if (!tree_open_unit(&b->tree, s->dwarf, unit, &cu, &entry))
		return result;
	if (entry.dwo_name[0])
		result = functions_elsewhere(b, s, &cu);
	/* With -fsplit-dwarf-inlining the skeleton has functions too. */
	if (!result.len &&
	    tree_open_unit(&b->tree, s->dwarf, unit, &cu, &entry))
		result = write_functions(b, &cu, s);
	return result;
}

/* Opens a unit for its first entry only, whose shape most tables have first. */
static bool open_first_entry(struct builder *b, const struct debug_source *s,
			     const struct dwarf_unit *unit, struct dwarf_cu *cu,
			     struct cu_entry *entry)
{
	const struct dwarf_cu whole = { .file = s->dwarf, .unit = unit };
	struct reader first = cu_entries(&whole);
	bool ok;

	start(b, s->dwarf);
	ok = abbrevs_read_one(&b->tree.abbrevs, s->dwarf, unit,
			      reader_uleb(&first), &b->scratch) &&
	     cu_open(cu, s->dwarf, unit, &b->tree.abbrevs, entry);
	/* The table is not whole. */
	b->tree.abbrevs.file = NULL;
	return ok;
}

struct span builder_lines(struct builder *b, const struct debug_source *s,
			  const struct dwarf_unit *unit)
{
	struct span result = { 0 };
	struct cu_entry entry;
	struct dwarf_cu cu;

	if (!open_first_entry(b, s, unit, &cu, &entry) || !entry.has_line ||
	    !line_open(&b->lines, &cu, entry.line, &b->scratch) ||
	    b->lines.program.len > b->line_budget)
		return result;
	b->line_budget -= b->lines.program.len;
	if (line_run(&b->lines, &s->area, &b->scratch))
		result = line_index_write(&b->lines, entry.comp_dir, &b->kept,
					  &b->passing);
	arena_reset(&b->passing);
	return result;
}

/* Where the ranges of a unit go. */
struct range_target {
	code_range_vec *to;
	struct arena *arena;
	uint32_t owner;
};

static bool add_range(const struct range_target *t, uint32_t low, uint32_t high)
{
	struct code_range *at = VEC_PUSH(t->to, t->arena);

	if (!at)
		return false;
	*at = (struct code_range){ .low = low,
				   .high = high,
				   .owner = t->owner };
	return true;
}

/* The ranges that a unit's first entry gives. */
static bool entry_ranges(const struct dwarf_cu *cu,
			 const struct cu_entry *entry,
			 const struct code_area *area,
			 const struct range_target *target)
{
	const struct dwarf_extent extent = {
		.low_pc = entry->low_pc,
		.high_pc = entry->high_pc,
		.ranges = entry->ranges,
	};
	struct range_walk walk;
	uint64_t low, high;
	uint32_t from, to;

	range_walk_start(&walk, cu, &extent);
	while (range_walk_next(&walk, &low, &high))
		if (code_area_clip(area, low, high, &from, &to) &&
		    !add_range(target, from, to))
			return false;
	return true;
}

/* The ranges of a unit that does not list them: those of its functions. */
static bool function_ranges(struct builder *b, const struct debug_source *s,
			    const struct dwarf_unit *unit,
			    const struct range_target *target)
{
	struct cu_entry entry;
	struct dwarf_cu cu;
	bool built;

	built = tree_open_unit(&b->tree, s->dwarf, unit, &cu, &entry) &&
		entry.children && tree_build(&b->tree, &cu, &s->area);
	arena_reset(&b->passing);
	if (!built)
		return !b->scratch.failed;
	for (uint32_t i = 0; i < b->tree.ranges.count; i++)
		if (!add_range(target, b->tree.ranges.at[i].low,
			       b->tree.ranges.at[i].high))
			return false;
	return true;
}

/* Whether a unit's first entry says where its code is. */
static bool has_extent(const struct cu_entry *entry)
{
	return entry->ranges.kind != VALUE_NONE ||
	       (entry->low_pc.kind != VALUE_NONE &&
		entry->high_pc.kind != VALUE_NONE);
}

bool builder_ranges(struct builder *b, const struct debug_source *s, uint32_t i,
		    code_range_vec *to, struct arena *arena)
{
	const struct dwarf_unit *unit = &s->dwarf->unit[i];
	const struct range_target target = {
		.to = to,
		.arena = arena,
		.owner = s->dwarf->unit_count - i,
	};
	struct cu_entry entry;
	struct dwarf_cu cu;

	if (!open_first_entry(b, s, unit, &cu, &entry))
		return true;
	if (entry.tag == DW_TAG_partial_unit)
		return true;
	if (!has_extent(&entry))
		return function_ranges(b, s, unit, &target);
	return entry_ranges(&cu, &entry, &s->area, &target);
}

/* Reads one table of .debug_aranges, that of one unit. */
static bool read_aranges(struct reader table, unsigned start,
			 const struct debug_source *s,
			 struct range_target *target)
{
	const struct dwarf *d = s->dwarf;
	unsigned offset_size = start == 12 ? 8 : 4;
	const uint8_t *begin = table.at - start;
	const struct dwarf_unit *unit;
	uint64_t offset, low, size;
	uint32_t from, to;

	reader_u16(&table); /* version */
	offset = offset_size == 8 ? reader_u64(&table) : reader_u32(&table);
	unit = dwarf_unit_at(d, offset);
	if (reader_u8(&table) != 8 || reader_u8(&table) != 0 || !unit)
		return true;
	target->owner = d->unit_count - (uint32_t)(unit - d->unit);
	reader_take(&table, -(uint64_t)(table.at - begin) & 15);
	for (;;) {
		low = reader_u64(&table);
		size = reader_u64(&table);
		if (table.failed || (!low && !size))
			return true;
		if (low + size > low &&
		    code_area_clip(&s->area, low, low + size, &from, &to) &&
		    !add_range(target, from, to))
			return false;
	}
}

bool builder_aranges(const struct debug_source *s, code_range_vec *to,
		     struct arena *arena)
{
	struct range_target target = { .to = to, .arena = arena };
	struct reader r = reader_of(s->dwarf->aranges);

	while (reader_left(&r)) {
		uint64_t len = reader_u32(&r);
		unsigned start = 4;
		struct span table;

		if (len == 0xffffffff) {
			len = reader_u64(&r);
			start = 12;
		}
		table = reader_take(&r, len);
		if (r.failed)
			break;
		if (!read_aranges(reader_of(table), start, s, &target))
			return false;
	}
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * Finding the debug sections of a file and cutting .debug_info into units.
 * Only unit headers are read here; what is in a unit is read when somebody
 * asks about an address in it.
 */
#include "dwarf/file.h"

#include <errno.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/fmt.h"
#include "base/vec.h"
#include "dwarf/constants.h"
#include "elf/image.h"
#include "elf/inflate.h"
#include "elf/relocate.h"

enum {
	SECTION_NAME_MAX = 40,
};

/* A section, by the rest of its name, and where it goes. */
struct wanted {
	const char *name;
	size_t place;
	bool strings;
};

static const struct wanted wanted[] = {
	{ "info", offsetof(struct dwarf, info), false },
	{ "abbrev", offsetof(struct dwarf, abbrev), false },
	{ "line", offsetof(struct dwarf, line), false },
	{ "line_str", offsetof(struct dwarf, line_str), true },
	{ "str", offsetof(struct dwarf, str), true },
	{ "str_offsets", offsetof(struct dwarf, str_offsets), false },
	{ "addr", offsetof(struct dwarf, addr), false },
	{ "ranges", offsetof(struct dwarf, ranges), false },
	{ "rnglists", offsetof(struct dwarf, rnglists), false },
	{ "aranges", offsetof(struct dwarf, aranges), false },
	{ "cu_index", offsetof(struct dwarf, cu_index), false },
	{ "types", offsetof(struct dwarf, type_info), false },
};

static bool find_debug_section(const struct elf *elf, const char *name,
			       bool split, struct elf_section *ret)
{
	const char *suffix = split ? ".dwo" : "";
	char full[SECTION_NAME_MAX];

	fmt_text(full, sizeof(full), ".debug_%s%s", name, suffix);
	if (elf_find_section(elf, full, ret))
		return true;
	fmt_text(full, sizeof(full), ".zdebug_%s%s", name, suffix);
	if (elf_find_section(elf, full, ret))
		return true;
	/* A package's index has no suffix. */
	fmt_text(full, sizeof(full), ".debug_%s", name);
	return split && strcmp(name, "cu_index") == 0 &&
	       elf_find_section(elf, full, ret);
}

static int load_sections(struct dwarf *d, const struct elf *elf,
			 struct arena *arena, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct span *to = (struct span *)((char *)d + wanted[i].place);
		struct elf_section section;
		int r;

		if (!find_debug_section(elf, wanted[i].name, d->split,
					&section))
			continue;
		r = elf_section_load(elf, &section, arena, to, err);
		if (r < 0)
			return r;
		if (elf_relocate(elf, &section, arena, to) < 0)
			return error_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

/* Cuts string sections behind their last NUL. */
static void cut_strings(struct dwarf *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct span *s = (struct span *)((char *)d + wanted[i].place);

		while (wanted[i].strings && s->len && s->at[s->len - 1])
			s->len--;
	}
}

static uint64_t read_offset(struct reader *r, unsigned offset_size)
{
	return offset_size == 8 ? reader_u64(r) : reader_u32(r);
}

/* Reads the initial length and narrows r to the unit. */
static bool enter_unit(struct reader *r, struct dwarf_unit *u)
{
	uint64_t len = reader_u32(r);
	struct span body;

	u->offset_size = 4;
	if (len == 0xffffffff) {
		len = reader_u64(r);
		u->offset_size = 8;
	}
	body = reader_take(r, len);
	if (r->failed)
		return false;
	*r = reader_of(body);
	return true;
}

static bool is_type_unit(const struct dwarf_unit *u)
{
	return u->type == DW_UT_type || u->type == DW_UT_split_type;
}

/* Reads what follows the initial length; false: not a unit that we read. */
static bool read_unit_header(struct reader *r, struct dwarf_unit *u)
{
	uint8_t address_size;

	u->version = (uint8_t)reader_u16(r);
	u->type = DW_UT_compile;
	if (u->version >= 5) {
		u->type = reader_u8(r);
		address_size = reader_u8(r);
		u->abbrev = read_offset(r, u->offset_size);
		if (u->type == DW_UT_skeleton ||
		    u->type == DW_UT_split_compile || is_type_unit(u))
			u->dwo_id = reader_u64(r);
		if (is_type_unit(u))
			u->type_offset = read_offset(r, u->offset_size);
	} else {
		u->abbrev = read_offset(r, u->offset_size);
		address_size = reader_u8(r);
	}
	return !r->failed && u->version >= 2 && u->version <= 5 &&
	       address_size == 8;
}

/* What DWARF 4 has behind the header of units in .debug_types. */
static bool read_old_type_header(struct reader *r, struct dwarf_unit *u)
{
	u->type = DW_UT_type;
	u->dwo_id = reader_u64(r);
	u->type_offset = read_offset(r, u->offset_size);
	return !r->failed;
}

/*
 * Lists the units of .debug_info: those that describe code, or those that
 * describe types, of which DWARF 4 has a section of its own.
 */
static int read_units(struct dwarf *d, bool types, struct arena *arena)
{
	const bool old_types = types && d->type_info.len;
	VEC(struct dwarf_unit) units = { 0 };
	struct reader all = reader_of(d->info);

	while (reader_left(&all)) {
		struct dwarf_unit u = {
			.offset = (uint64_t)(all.at - d->info.at),
		};
		struct reader r = all;
		struct dwarf_unit *to;

		if (!enter_unit(&r, &u))
			break;
		all.at = r.end;
		u.end = (uint64_t)(r.end - d->info.at);
		if (!read_unit_header(&r, &u) ||
		    (old_types && !read_old_type_header(&r, &u)) ||
		    is_type_unit(&u) != types)
			continue;
		u.header = (uint8_t)((uint64_t)(r.at - d->info.at) - u.offset);
		to = VEC_PUSH(&units, arena);
		if (!to)
			return -ENOMEM;
		*to = u;
	}
	d->unit = units.at;
	d->unit_count = units.count;
	return 0;
}

/* Lists the type units, in a copy of d that looks like a file of its own. */
static int read_types(struct dwarf *d, struct arena *arena)
{
	struct dwarf *t = ARENA_NEW(arena, struct dwarf);
	int r;

	if (!t)
		return -ENOMEM;
	*t = *d;
	if (d->type_info.len)
		t->info = d->type_info;
	r = read_units(t, true, arena);
	if (r == 0 && t->unit_count)
		d->types = t;
	return r;
}

int dwarf_open(struct dwarf *d, const struct elf *elf, bool split,
	       struct arena *arena, struct error *err)
{
	int r;

	*d = (struct dwarf){ .split = split };
	r = load_sections(d, elf, arena, err);
	return r < 0 ? r : dwarf_read_units(d, arena, err);
}

int dwarf_read_units(struct dwarf *d, struct arena *arena, struct error *err)
{
	int r;

	cut_strings(d);
	if (!d->info.len || !d->abbrev.len)
		return error_set(err, -ENODATA, "no debug information");
	if (d->cu_index.len)
		return 0;
	r = read_units(d, false, arena);
	if (r == 0)
		r = read_types(d, arena);
	return r < 0 ? error_set_errno(err, r, "cannot list units") : 0;
}

const struct dwarf_unit *dwarf_unit_at(const struct dwarf *d, uint64_t offset)
{
	uint32_t low = 0;
	uint32_t high = d->unit_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (d->unit[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == d->unit_count || offset < d->unit[low].offset)
		return NULL;
	return &d->unit[low];
}

const struct dwarf_unit *dwarf_type_unit(const struct dwarf *types,
					 uint64_t signature)
{
	for (uint32_t i = 0; i < types->unit_count; i++)
		if (types->unit[i].dwo_id == signature)
			return &types->unit[i];
	return NULL;
}

/* The hash table in front of a package's index. */
struct package_index {
	struct span signatures; /* 8 bytes a slot */
	struct span rows;	/* 4 bytes a slot: 1-based; 0: empty */
	struct span ids;	/* 4 bytes a column */
	struct span offsets;	/* a row of columns for each unit */
	struct span sizes;
	uint32_t columns;
	uint32_t units;
	uint32_t slots;
	uint32_t version;
};

static uint32_t u32_at(struct span s, uint64_t i)
{
	struct span part = span_part(s, i * 4, 4);
	uint32_t value = 0;

	if (part.len)
		memcpy(&value, part.at, sizeof(value));
	return value;
}

static bool open_index(struct span section, struct package_index *x)
{
	struct reader r = reader_of(section);
	uint64_t table;

	x->version = reader_u32(&r) & 0xffff;
	x->columns = reader_u32(&r);
	x->units = reader_u32(&r);
	x->slots = reader_u32(&r);
	if (x->slots & (x->slots - 1))
		return false;
	table = (uint64_t)x->columns * x->units;
	x->signatures = reader_take(&r, (uint64_t)x->slots * 8);
	x->rows = reader_take(&r, (uint64_t)x->slots * 4);
	x->ids = reader_take(&r, (uint64_t)x->columns * 4);
	if (table > section.len / 4)
		return false;
	x->offsets = reader_take(&r, table * 4);
	x->sizes = reader_take(&r, table * 4);
	return !r.failed && x->slots;
}

/* The 1-based row of a unit; 0: it is not in the package. */
static uint32_t find_row(const struct package_index *x, uint64_t id)
{
	uint64_t mask = x->slots - 1;
	uint64_t slot = id & mask;
	uint64_t step = (id >> 32 & mask) | 1;

	for (uint32_t n = 0; n < x->slots; n++) {
		uint64_t signature;
		uint32_t row = u32_at(x->rows, slot);

		memcpy(&signature, x->signatures.at + slot * 8, 8);
		if (!row || signature == id)
			return row;
		slot = (slot + step) & mask;
	}
	return 0;
}

/* Where the part of a package named by a column's id belongs. */
static struct span *part_of(struct dwarf *d, uint32_t id, uint32_t version)
{
	switch (id) {
	case DW_SECT_INFO:
		return &d->info;
	case DW_SECT_ABBREV:
		return &d->abbrev;
	case DW_SECT_LINE:
		return &d->line;
	case DW_SECT_STR_OFFSETS:
		return &d->str_offsets;
	case DW_SECT_RNGLISTS:
		return version >= 5 ? &d->rnglists : NULL;
	default:
		return NULL;
	}
}

bool dwarf_package_find(const struct dwarf *package, uint64_t dwo_id,
			struct arena *arena, struct dwarf *ret)
{
	struct package_index x;
	uint32_t row;

	if (!open_index(package->cu_index, &x))
		return false;
	row = find_row(&x, dwo_id);
	if (!row || row > x.units)
		return false;

	*ret = *package;
	ret->cu_index = (struct span){ 0 };
	for (uint32_t i = 0; i < x.columns; i++) {
		uint64_t cell = (uint64_t)(row - 1) * x.columns + i;
		struct span *part = part_of(ret, u32_at(x.ids, i), x.version);

		if (part)
			*part = span_part(*part, u32_at(x.offsets, cell),
					  u32_at(x.sizes, cell));
	}
	return read_units(ret, false, arena) == 0 && ret->unit_count;
}

/* SPDX-License-Identifier: MIT */
/*
 * Abbreviations, compiled: most entries of a unit are types and variables that
 * nobody asks for, so what decides the speed of the reader is how fast those
 * are passed over.  For that each abbreviation knows its size where all its
 * forms have one, where its sibling pointer stands, and of its attributes only
 * those that somebody reads or that have no fixed size.
 */
#include "dwarf/abbrev.h"

#include "base/arena.h"
#include "base/sort.h"
#include "base/span.h"
#include "dwarf/constants.h"
#include "dwarf/file.h"

enum {
	VARIABLE = -1,
	OFFSET = -2, /* 4 or 8 bytes */
	REF_ADDR = -3,
	MAX_ATTRS = 4096,
};

/* Sizes of the forms below 0x2d. */
static const int8_t form_sizes[] = {
	[0x00] = VARIABLE,
	[DW_FORM_addr] = 8,
	[0x02] = VARIABLE,
	[DW_FORM_block2] = VARIABLE,
	[DW_FORM_block4] = VARIABLE,
	[DW_FORM_data2] = 2,
	[DW_FORM_data4] = 4,
	[DW_FORM_data8] = 8,
	[DW_FORM_string] = VARIABLE,
	[DW_FORM_block] = VARIABLE,
	[DW_FORM_block1] = VARIABLE,
	[DW_FORM_data1] = 1,
	[DW_FORM_flag] = 1,
	[DW_FORM_sdata] = VARIABLE,
	[DW_FORM_strp] = OFFSET,
	[DW_FORM_udata] = VARIABLE,
	[DW_FORM_ref_addr] = REF_ADDR,
	[DW_FORM_ref1] = 1,
	[DW_FORM_ref2] = 2,
	[DW_FORM_ref4] = 4,
	[DW_FORM_ref8] = 8,
	[DW_FORM_ref_udata] = VARIABLE,
	[DW_FORM_indirect] = VARIABLE,
	[DW_FORM_sec_offset] = OFFSET,
	[DW_FORM_exprloc] = VARIABLE,
	[DW_FORM_flag_present] = 0,
	[DW_FORM_strx] = VARIABLE,
	[DW_FORM_addrx] = VARIABLE,
	[DW_FORM_ref_sup4] = 4,
	[DW_FORM_strp_sup] = OFFSET,
	[DW_FORM_data16] = 16,
	[DW_FORM_line_strp] = OFFSET,
	[DW_FORM_ref_sig8] = 8,
	[DW_FORM_implicit_const] = 0,
	[DW_FORM_loclistx] = VARIABLE,
	[DW_FORM_rnglistx] = VARIABLE,
	[DW_FORM_ref_sup8] = 8,
	[DW_FORM_strx1] = 1,
	[DW_FORM_strx2] = 2,
	[DW_FORM_strx3] = 3,
	[DW_FORM_strx4] = 4,
	[DW_FORM_addrx1] = 1,
	[DW_FORM_addrx2] = 2,
	[DW_FORM_addrx3] = 3,
	[DW_FORM_addrx4] = 4,
};

int16_t abbrev_form_size(uint16_t form, const struct abbrevs *t)
{
	int8_t size = VARIABLE;

	if (form < sizeof(form_sizes))
		size = form_sizes[form];
	else if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		size = OFFSET;
	if (size == OFFSET)
		return t->offset_size;
	/* DWARF 2 gave references between units the size of an address. */
	if (size == REF_ADDR)
		return t->version == 2 ? 8 : t->offset_size;
	return size;
}

static uint8_t kind_of(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		return ABBREV_FUNCTION;
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_entry_point:
		return ABBREV_SCOPE;
	default:
		return ABBREV_OTHER;
	}
}

/* Some languages put functions into types; but not into these. */
static bool never_holds_code(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_array_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return true;
	default:
		return false;
	}
}

/* What function_read() takes. */
static bool says_of_function(uint64_t name)
{
	switch (name) {
	case DW_AT_low_pc:
	case DW_AT_high_pc:
	case DW_AT_ranges:
	case DW_AT_abstract_origin:
	case DW_AT_specification:
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
	case DW_AT_name:
	case DW_AT_decl_line:
	case DW_AT_call_file:
	case DW_AT_call_line:
	case DW_AT_call_column:
		return true;
	default:
		return false;
	}
}

/* Whether somebody reads the attribute in entries of this shape. */
static bool is_wanted(const struct abbrev *a, uint64_t name)
{
	switch (a->tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		return says_of_function(name);
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_type_unit:
		return true;
	default:
		return false;
	}
}

/* Keeps the attribute if it is of use; false: out of memory. */
static bool keep_attr(struct abbrevs *t, struct abbrev *a,
		      struct abbrev_attr attr, struct arena *arena)
{
	struct abbrev_attr *to;

	if (attr.size >= 0 && !attr.wanted) {
		a->after += (uint32_t)attr.size;
		return true;
	}
	to = VEC_PUSH(&t->attrs, arena);
	if (!to)
		return false;
	attr.before = a->after;
	*to = attr;
	a->after = 0;
	a->count++;
	return true;
}

/* Reads the attribute list of one declaration; false: malformed. */
static bool read_attrs(struct abbrevs *t, struct abbrev *a, struct reader *r,
		       struct arena *arena)
{
	int32_t size = 0;
	unsigned n;

	for (n = 0; n < MAX_ATTRS; n++) {
		uint64_t name = reader_uleb(r);
		uint64_t form = reader_uleb(r);
		int64_t value = 0;
		struct abbrev_attr attr;

		if (form == DW_FORM_implicit_const)
			value = reader_sleb(r);
		if (r->failed || form > UINT16_MAX)
			return false;
		if (!name && !form)
			break;
		attr = (struct abbrev_attr){
			.name = name > UINT16_MAX ? 0 : (uint16_t)name,
			.form = (uint16_t)form,
			.size = abbrev_form_size((uint16_t)form, t),
			.wanted = is_wanted(a, name),
			.value = value,
		};
		if (!keep_attr(t, a, attr, arena))
			return false;
		a->placed |= name == DW_AT_low_pc || name == DW_AT_ranges;
		if (name == DW_AT_sibling && form == DW_FORM_ref4)
			a->sibling = size;
		size = size < 0 || attr.size < 0 ? -1 : size + attr.size;
	}
	a->size = size;
	return n < MAX_ATTRS;
}

/* Reads the next declaration; false at the end of the table. */
static bool read_one(struct abbrevs *t, struct reader *r, struct abbrev *a,
		     struct arena *arena)
{
	uint64_t code = reader_uleb(r);
	uint64_t tag;

	if (!code)
		return false;
	tag = reader_uleb(r);
	*a = (struct abbrev){
		.code = code,
		.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag,
		.children = reader_u8(r) != 0,
		.first = t->attrs.count,
		.sibling = -1,
	};
	a->kind = kind_of(a->tag);
	a->hollow = a->kind == ABBREV_OTHER &&
		    (!a->children || never_holds_code(a->tag));
	return read_attrs(t, a, r, arena) && !r->failed;
}

static struct reader start(struct abbrevs *t, const struct dwarf *file,
			   const struct dwarf_unit *unit, struct arena *arena)
{
	struct span s = file->abbrev;

	t->offset = unit->abbrev;
	t->file = file;
	t->offset_size = unit->offset_size;
	t->version = unit->version;
	t->dense = true;
	t->list.count = 0;
	t->attrs.count = 0;
	/* Readers add to the array's start, also where there is no attribute;
	 * that this failed shows in the arena. */
	(void)VEC_RESERVE(&t->attrs, arena, 1);
	if (unit->abbrev > s.len)
		return reader_of((struct span){ 0 });
	return reader_of(span_part(s, unit->abbrev, s.len - unit->abbrev));
}

/* Puts the list in the order of codes, for a table that numbers oddly. */
static bool sort_codes(struct abbrevs *t, struct arena *arena)
{
	uint32_t count = t->list.count;
	struct sort_item *items = ARENA_ARRAY(arena, struct sort_item,
					      (size_t)count * 2);
	struct abbrev *sorted = ARENA_ARRAY(arena, struct abbrev, count);

	if (!items || !sorted)
		return false;
	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ .key = t->list.at[i].code,
					       .id = i };
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = t->list.at[items[i].id];
	memcpy(t->list.at, sorted, count * sizeof(*sorted));
	return true;
}

bool abbrevs_read(struct abbrevs *t, const struct dwarf *file,
		  const struct dwarf_unit *unit, struct arena *arena)
{
	struct reader r = start(t, file, unit, arena);
	struct abbrev a;

	while (read_one(t, &r, &a, arena)) {
		struct abbrev *to = VEC_PUSH(&t->list, arena);

		if (!to)
			return false;
		*to = a;
		t->dense &= a.code == t->list.count;
	}
	if (!t->list.count || r.failed || arena->failed)
		return false;
	return t->dense || sort_codes(t, arena);
}

bool abbrevs_read_one(struct abbrevs *t, const struct dwarf *file,
		      const struct dwarf_unit *unit, uint64_t code,
		      struct arena *arena)
{
	struct reader r = start(t, file, unit, arena);
	struct abbrev a;

	t->dense = false;
	while (read_one(t, &r, &a, arena)) {
		struct abbrev *to;

		if (a.code != code) {
			t->attrs.count = 0;
			continue;
		}
		to = VEC_PUSH(&t->list, arena);
		if (to)
			*to = a;
		return to != NULL;
	}
	return false;
}

const struct abbrev *abbrevs_search(const struct abbrevs *t, uint64_t code)
{
	uint32_t low = 0;
	uint32_t high = t->list.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->list.at[middle].code == code)
			return &t->list.at[middle];
		if (t->list.at[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * Attribute values in all forms of DWARF 2 to 5 and GNU's extensions, and the
 * first entry of a unit, whose bases the indexed forms need.
 */
#include "dwarf/die.h"

#include "dwarf/constants.h"
#include "dwarf/file.h"

enum {
	MAX_INDIRECT = 4,
};

static uint64_t read_sized(struct reader *r, unsigned size)
{
	struct span s = reader_take(r, size);
	uint64_t value = 0;

	if (s.len <= sizeof(value) && s.len)
		memcpy(&value, s.at, s.len);
	return value;
}

/* The string in r, terminated inside it. */
static const char *read_string(struct reader *r)
{
	const uint8_t *start = r->at;
	const uint8_t *nul = memchr(r->at, '\0', reader_left(r));

	if (!reader_left(r) || !nul) {
		r->failed = true;
		r->at = r->end;
		return "";
	}
	r->at = nul + 1;
	return (const char *)start;
}

static const char *indexed_string(const struct dwarf_cu *cu, uint64_t i)
{
	unsigned size = cu->unit->offset_size;
	struct span s = cu->file->str_offsets;
	uint64_t at;
	struct reader r;

	if (__builtin_mul_overflow(i, size, &at) ||
	    __builtin_add_overflow(at, cu->str_offsets_base, &at))
		return "";
	r = reader_of(span_part(s, at, size));
	return dwarf_string(cu->file->str, read_sized(&r, size));
}

bool cu_address(const struct dwarf_cu *cu, uint64_t i, uint64_t *ret)
{
	struct span s;
	uint64_t at;

	if (__builtin_mul_overflow(i, 8, &at) ||
	    __builtin_add_overflow(at, cu->addr_base, &at))
		return false;
	s = span_part(cu->main->addr, at, 8);
	if (!s.len)
		return false;
	memcpy(ret, s.at, 8);
	return true;
}

static void set_string(struct dwarf_value *v, const char *text)
{
	v->kind = VALUE_STRING;
	v->text = text;
}

static void set_number(struct dwarf_value *v, enum value_kind kind,
		       uint64_t number)
{
	v->kind = kind;
	v->number = number;
}

static void set_address_index(const struct dwarf_cu *cu, struct dwarf_value *v,
			      uint64_t i)
{
	v->kind = cu_address(cu, i, &v->number) ? VALUE_ADDRESS : VALUE_OTHER;
}

static void set_alt_string(const struct dwarf_cu *cu, struct dwarf_value *v,
			   uint64_t offset)
{
	const struct dwarf *alt = cu->file->alt;

	set_string(v, alt ? dwarf_string(alt->str, offset) : "");
}

/* Forms of variable size; the fixed ones are in value_make(). */
static void read_variable(const struct dwarf_cu *cu, struct reader *r,
			  uint16_t form, struct dwarf_value *v)
{
	switch (form) {
	case DW_FORM_udata:
		return set_number(v, VALUE_CONSTANT, reader_uleb(r));
	case DW_FORM_sdata:
		return set_number(v, VALUE_CONSTANT, (uint64_t)reader_sleb(r));
	case DW_FORM_string:
		return set_string(v, read_string(r));
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
		return set_string(v, indexed_string(cu, reader_uleb(r)));
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		return set_address_index(cu, v, reader_uleb(r));
	case DW_FORM_ref_udata:
		return set_number(v, VALUE_REF,
				  cu->unit->offset + reader_uleb(r));
	case DW_FORM_rnglistx:
		return set_number(v, VALUE_INDEX, reader_uleb(r));
	case DW_FORM_loclistx:
		reader_uleb(r);
		break;
	case DW_FORM_block1:
		reader_take(r, reader_u8(r));
		break;
	case DW_FORM_block2:
		reader_take(r, reader_u16(r));
		break;
	case DW_FORM_block4:
		reader_take(r, reader_u32(r));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		reader_take(r, reader_uleb(r));
		break;
	default:
		r->failed = true;
		r->at = r->end;
		break;
	}
	v->kind = VALUE_OTHER;
}

void value_make(const struct dwarf_cu *cu, const struct abbrev_attr *attr,
		uint64_t n, struct dwarf_value *v)
{
	switch (attr->form) {
	case DW_FORM_addr:
		return set_number(v, VALUE_ADDRESS, n);
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_flag:
		return set_number(v, VALUE_CONSTANT, n);
	case DW_FORM_flag_present:
		return set_number(v, VALUE_CONSTANT, 1);
	case DW_FORM_implicit_const:
		return set_number(v, VALUE_CONSTANT, (uint64_t)attr->value);
	case DW_FORM_sec_offset:
		return set_number(v, VALUE_OFFSET, n);
	case DW_FORM_strp:
		return set_string(v, dwarf_string(cu->file->str, n));
	case DW_FORM_line_strp:
		return set_string(v, dwarf_string(cu->file->line_str, n));
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return set_alt_string(cu, v, n);
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		return set_string(v, indexed_string(cu, n));
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		return set_address_index(cu, v, n);
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
		return set_number(v, VALUE_REF, cu->unit->offset + n);
	case DW_FORM_ref_sig8:
		return set_number(v, VALUE_REF_TYPE, n);
	case DW_FORM_ref_addr:
		return set_number(v, VALUE_REF, n);
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		return set_number(v, VALUE_REF_ALT, n);
	default:
		v->kind = VALUE_OTHER;
	}
}

/* The attribute that DW_FORM_indirect stands for here; size -1, form 0 if it
 * names no form of use. */
static struct abbrev_attr resolve_indirect(const struct dwarf_cu *cu,
					   struct reader *r,
					   const struct abbrev_attr *attr)
{
	struct abbrev_attr real = *attr;

	for (unsigned n = 0; n < MAX_INDIRECT; n++) {
		uint64_t form = reader_uleb(r);

		if (form == DW_FORM_indirect)
			continue;
		if (form > UINT16_MAX || form == DW_FORM_implicit_const)
			break;
		real.form = (uint16_t)form;
		real.size = abbrev_form_size(real.form, cu->abbrevs);
		return real;
	}
	real.form = 0;
	real.size = -1;
	return real;
}

void value_read(const struct dwarf_cu *cu, struct reader *r,
		const struct abbrev_attr *attr, struct dwarf_value *v)
{
	struct abbrev_attr real;

	if (attr->form == DW_FORM_indirect) {
		real = resolve_indirect(cu, r, attr);
		attr = &real;
	}
	if (attr->size >= 0)
		value_make(cu, attr, read_sized(r, (unsigned)attr->size), v);
	else
		read_variable(cu, r, attr->form, v);
}

void value_skip(const struct dwarf_cu *cu, struct reader *r,
		const struct abbrev_attr *attr)
{
	struct dwarf_value v;

	if (attr->size >= 0) {
		reader_take(r, (uint64_t)attr->size);
		return;
	}
	switch (attr->form) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
		reader_take(r, reader_uleb(r));
		return;
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_udata:
	case DW_FORM_sdata:
		reader_uleb(r);
		return;
	default:
		value_read(cu, r, attr, &v);
	}
}

void die_skip_slowly(const struct dwarf_cu *cu, struct reader *r,
		     const struct abbrev *a)
{
	const struct abbrev_attr *attr = cu->abbrevs->attrs.at + a->first;

	for (unsigned i = 0; i < a->count; i++) {
		reader_take(r, attr[i].before);
		value_skip(cu, r, &attr[i]);
	}
	reader_take(r, a->after);
}

struct reader cu_entries_at(const struct dwarf_cu *cu, uint64_t offset)
{
	const struct dwarf_unit *u = cu->unit;

	if (offset < u->offset + u->header || offset >= u->end)
		return reader_of((struct span){ 0 });
	return reader_of(span_part(cu->file->info, offset, u->end - offset));
}

struct reader cu_entries(const struct dwarf_cu *cu)
{
	return cu_entries_at(cu, cu->unit->offset + cu->unit->header);
}

/* Takes one attribute of a unit's first entry. */
static void take_base(struct dwarf_cu *cu, uint16_t name,
		      const struct dwarf_value *v)
{
	switch (name) {
	case DW_AT_str_offsets_base:
		cu->str_offsets_base = v->number;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		cu->addr_base = v->number;
		break;
	case DW_AT_rnglists_base:
		cu->rnglists_base = v->number;
		break;
	case DW_AT_GNU_ranges_base:
		cu->ranges_base = v->number;
		break;
	default:
		break;
	}
}

static void take_entry(struct cu_entry *e, uint16_t name,
		       const struct dwarf_value *v)
{
	const char *text = v->kind == VALUE_STRING ? v->text : "";

	switch (name) {
	case DW_AT_name:
		e->name = text;
		break;
	case DW_AT_comp_dir:
		e->comp_dir = text;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		e->dwo_name = text;
		break;
	case DW_AT_GNU_dwo_id:
		e->dwo_id = v->number;
		break;
	case DW_AT_low_pc:
		e->low_pc = *v;
		break;
	case DW_AT_high_pc:
		e->high_pc = *v;
		break;
	case DW_AT_ranges:
		e->ranges = *v;
		break;
	case DW_AT_stmt_list:
		e->line = v->number;
		e->has_line = true;
		break;
	default:
		break;
	}
}

/*
 * Calls for each attribute of the first entry.  Twice: the bases may stand
 * behind the attributes that need them.
 */
static bool read_entry(struct dwarf_cu *cu, struct cu_entry *e, bool bases)
{
	struct reader r = cu_entries(cu);
	const struct abbrev *a = abbrevs_find(cu->abbrevs, reader_uleb(&r));

	if (!a)
		return false;
	e->tag = a->tag;
	e->children = a->children;
	for (unsigned i = 0; i < a->count; i++) {
		const struct abbrev_attr *attr =
			&cu->abbrevs->attrs.at[a->first + i];
		struct dwarf_value v = { 0 };

		reader_take(&r, attr->before);
		value_read(cu, &r, attr, &v);
		if (bases)
			take_base(cu, attr->name, &v);
		else
			take_entry(e, attr->name, &v);
	}
	return !r.failed;
}

/* Where indexed tables start in a split file, which has no base attributes:
 * behind the table's header, which DWARF 4 did not have yet. */
static uint64_t default_base(const struct dwarf_unit *u, unsigned rest)
{
	if (u->version < 5)
		return 0;
	return (u->offset_size == 8 ? 12u : 4u) + rest;
}

bool cu_open(struct dwarf_cu *cu, const struct dwarf *file,
	     const struct dwarf_unit *unit, const struct abbrevs *abbrevs,
	     struct cu_entry *ret)
{
	*cu = (struct dwarf_cu){
		.file = file,
		.main = file,
		.unit = unit,
		.abbrevs = abbrevs,
		.str_offsets_base = default_base(unit, 4),
		.rnglists_base = default_base(unit, 8),
		.addr_base = default_base(unit, 4),
	};
	*ret = (struct cu_entry){
		.name = "",
		.comp_dir = "",
		.dwo_name = "",
		.dwo_id = unit->dwo_id,
	};
	if (!read_entry(cu, ret, true) || !read_entry(cu, ret, false))
		return false;
	if (ret->low_pc.kind == VALUE_ADDRESS)
		cu->low_pc = ret->low_pc.number;
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * Entries of functions and inlined calls.  Inlined calls are what optimised
 * C++ has most of, and their attributes have fixed sizes: then all of them are
 * known to be there at once, and need no check each.
 */
#include "dwarf/function.h"

#include "dwarf/constants.h"

static const char *text_or_null(const struct dwarf_value *v)
{
	return v->kind == VALUE_STRING && *v->text ? v->text : NULL;
}

static uint32_t small_number(const struct dwarf_value *v)
{
	return v->number <= UINT32_MAX ? (uint32_t)v->number : 0;
}

static void take_attribute(struct function *f, uint16_t name,
			   const struct dwarf_value *v)
{
	switch (name) {
	case DW_AT_low_pc:
		f->extent.low_pc = *v;
		break;
	case DW_AT_high_pc:
		f->extent.high_pc = *v;
		break;
	case DW_AT_ranges:
		f->extent.ranges = *v;
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		f->origin = *v;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		f->linkage = text_or_null(v);
		break;
	case DW_AT_name:
		f->name = text_or_null(v);
		break;
	case DW_AT_decl_line:
		f->decl_line = small_number(v);
		break;
	case DW_AT_call_file:
		f->call_file = small_number(v);
		break;
	case DW_AT_call_line:
		f->call_line = small_number(v);
		break;
	case DW_AT_call_column:
		f->call_column = small_number(v);
		break;
	default:
		break;
	}
}

/* A number of up to eight bytes, of which all eight may be read. */
static uint64_t load(const uint8_t *at, int size)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return size < 8 ? value & ((1ull << 8 * size) - 1) : value;
}

static void read_fixed(const struct dwarf_cu *cu, const uint8_t *at,
		       const struct abbrev *a, struct function *f)
{
	const struct abbrev_attr *attr = cu->abbrevs->attrs.at + a->first;

	for (unsigned i = 0; i < a->count; i++, attr++) {
		struct dwarf_value v = { 0 };

		at += attr->before;
		value_make(cu, attr, load(at, attr->size), &v);
		take_attribute(f, attr->name, &v);
		at += attr->size;
	}
}

void function_read(const struct dwarf_cu *cu, struct reader *r,
		   const struct abbrev *a, struct function *f)
{
	const struct abbrev_attr *attr = cu->abbrevs->attrs.at + a->first;

	*f = (struct function){ 0 };
	if (a->size >= 0 &&
	    reader_left(r) >= (size_t)a->size + sizeof(uint64_t)) {
		read_fixed(cu, r->at, a, f);
		r->at += a->size;
		return;
	}
	for (unsigned i = 0; i < a->count; i++) {
		struct dwarf_value v = { 0 };

		reader_take(r, attr[i].before);
		if (!attr[i].wanted) {
			value_skip(cu, r, &attr[i]);
			continue;
		}
		value_read(cu, r, &attr[i], &v);
		take_attribute(f, attr[i].name, &v);
	}
	reader_take(r, a->after);
}

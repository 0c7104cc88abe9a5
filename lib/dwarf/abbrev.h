/* SPDX-License-Identifier: MIT */
#ifndef WICK_DWARF_ABBREV_H
#define WICK_DWARF_ABBREV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct dwarf;
struct dwarf_unit;

/*
 * One attribute of an abbreviation.  Those that nobody asks for and whose size
 * is fixed are not kept: the next one, or the end of the entry, knows how many
 * bytes they take.
 */
struct abbrev_attr {
	uint16_t name;	 /* DW_AT_* */
	uint16_t form;	 /* DW_FORM_* */
	int16_t size;	 /* in bytes; -1: not fixed */
	bool wanted;	 /* someone asks for it */
	uint32_t before; /* bytes to pass over in front of it */
	int64_t value;	 /* of DW_FORM_implicit_const */
};

/* What a walk over the entries of a unit does with one of this kind. */
enum abbrev_kind {
	ABBREV_OTHER,	 /* passed over; its children hold no code */
	ABBREV_SCOPE,	 /* only its children matter */
	ABBREV_FUNCTION, /* subprogram or inlined subroutine */
};

/* The shape of an entry. */
struct abbrev {
	uint64_t code;
	uint32_t first; /* attribute */
	uint16_t count;
	uint16_t tag;
	int32_t size; /* of all attributes in bytes; -1: not fixed */
	/* Where in the entry DW_AT_sibling stands, if that is fixed and its
	 * form is DW_FORM_ref4; else -1. */
	int32_t sibling;
	uint32_t after; /* bytes to pass over behind the last attribute kept */
	uint8_t kind;	/* enum abbrev_kind */
	bool children;
	bool placed; /* it may have addresses: low_pc or ranges */
	bool hollow; /* neither it nor what is in it has code */
};

/*
 * The abbreviations of one unit, ready for use.  Tables are kept in the arena
 * of whoever reads, one thread, and shared by units that name the same table.
 */
struct abbrevs {
	uint64_t offset; /* in .debug_abbrev */
	const struct dwarf *file;
	uint8_t offset_size;
	uint8_t version;
	bool dense; /* the i-th has the code i + 1 */
	VEC(struct abbrev) list;
	VEC(struct abbrev_attr) attrs;
};

/* Reads the table of a unit; false if memory ran out or it is malformed. */
bool abbrevs_read(struct abbrevs *t, const struct dwarf *file,
		  const struct dwarf_unit *unit, struct arena *arena);

/* As abbrevs_read(), but only the entry of the given code. */
bool abbrevs_read_one(struct abbrevs *t, const struct dwarf *file,
		      const struct dwarf_unit *unit, uint64_t code,
		      struct arena *arena);

/* The abbreviation of a code; NULL: there is none. */
const struct abbrev *abbrevs_search(const struct abbrevs *t, uint64_t code);

/* The size of a form in units of this table; -1: not fixed or unknown. */
int16_t abbrev_form_size(uint16_t form, const struct abbrevs *t);

static inline const struct abbrev *abbrevs_find(const struct abbrevs *t,
						uint64_t code)
{
	if (t->dense && code && code <= t->list.count)
		return &t->list.at[code - 1];
	return abbrevs_search(t, code);
}

#endif /* WICK_DWARF_ABBREV_H */

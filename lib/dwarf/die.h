/* SPDX-License-Identifier: MIT */
#ifndef WICK_DWARF_DIE_H
#define WICK_DWARF_DIE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "dwarf/abbrev.h"

struct dwarf;
struct dwarf_unit;

/*
 * A unit being read: where it is, and the bases that its first entry gives to
 * indexed forms.  For the split part of a unit (.dwo), main is the file that
 * has the addresses.  Borrows everything.
 */
struct dwarf_cu {
	const struct dwarf *file;
	const struct dwarf *main;
	const struct dwarf_unit *unit;
	const struct abbrevs *abbrevs;
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t ranges_base; /* GNU's split DWARF 4 */
	uint64_t low_pc;      /* to which range lists are relative */
};

enum value_kind {
	VALUE_NONE,
	VALUE_CONSTANT,
	VALUE_ADDRESS,
	VALUE_OFFSET, /* into another section */
	VALUE_INDEX,  /* of a range list */
	VALUE_STRING,
	VALUE_REF,	/* an offset in .debug_info of the same file */
	VALUE_REF_ALT,	/* the same, of the dwz file */
	VALUE_REF_TYPE, /* the signature of a type unit */
	VALUE_OTHER,	/* read past, not kept */
};

/* An attribute's value, as far as it is of use. */
struct dwarf_value {
	enum value_kind kind;
	uint64_t number;
	const char *text; /* VALUE_STRING; in a section, terminated */
};

/*
 * Reads the value of attr from r, which has passed over what is before it;
 * values of a fixed size can be had from the number that stands there.
 */
void value_read(const struct dwarf_cu *cu, struct reader *r,
		const struct abbrev_attr *attr, struct dwarf_value *v);

void value_make(const struct dwarf_cu *cu, const struct abbrev_attr *attr,
		uint64_t n, struct dwarf_value *v);

/* Moves r past the value of attr. */
void value_skip(const struct dwarf_cu *cu, struct reader *r,
		const struct abbrev_attr *attr);

/* Moves r past all attributes of a, one by one. */
void die_skip_slowly(const struct dwarf_cu *cu, struct reader *r,
		     const struct abbrev *a);

/* Moves r past all attributes of a. */
static inline void die_skip(const struct dwarf_cu *cu, struct reader *r,
			    const struct abbrev *a)
{
	if (a->size >= 0)
		reader_take(r, (uint64_t)a->size);
	else
		die_skip_slowly(cu, r, a);
}

/* The address in slot i of the unit's part of .debug_addr; false: none. */
bool cu_address(const struct dwarf_cu *cu, uint64_t i, uint64_t *ret);

/* What the first entry of a unit says. */
struct cu_entry {
	const char *name; /* "" if not given, as the next ones */
	const char *comp_dir;
	const char *dwo_name; /* the unit's code is in this split file */
	uint64_t dwo_id;
	struct dwarf_value low_pc;
	struct dwarf_value high_pc;
	struct dwarf_value ranges;
	uint64_t line; /* offset of the line program */
	bool has_line;
	uint16_t tag;
	bool children;
};

/*
 * Prepares cu to read a unit of file and reads its first entry.  abbrevs must
 * hold at least that entry's abbreviation.  False: malformed.
 */
bool cu_open(struct dwarf_cu *cu, const struct dwarf *file,
	     const struct dwarf_unit *unit, const struct abbrevs *abbrevs,
	     struct cu_entry *ret);

/* A reader over the entries of the unit, the first included. */
struct reader cu_entries(const struct dwarf_cu *cu);

/* A reader at an offset in .debug_info; empty if it is not in this unit. */
struct reader cu_entries_at(const struct dwarf_cu *cu, uint64_t offset);

#endif /* WICK_DWARF_DIE_H */

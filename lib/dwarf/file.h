/* SPDX-License-Identifier: MIT */
#ifndef WICK_DWARF_FILE_H
#define WICK_DWARF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct arena;
struct elf;
struct error;

/*
 * The header of one unit of .debug_info.  A plain value.
 */
struct dwarf_unit {
	uint64_t offset;      /* of the header, in .debug_info */
	uint64_t end;	      /* of the unit */
	uint64_t abbrev;      /* offset of its table in .debug_abbrev */
	uint64_t dwo_id;      /* of version 5 skeleton and split units; of type
			       * units their signature; else 0 */
	uint64_t type_offset; /* of a type unit: where in it the type is */
	uint8_t header;	      /* length of the header */
	uint8_t version;
	uint8_t offset_size; /* 4 or 8 */
	uint8_t type;	     /* DW_UT_* */
};

/*
 * The debug sections of one file, decompressed as needed, and its units in the
 * order of the file.  Sections that are absent are empty.  String sections are
 * cut behind their last NUL, so every offset in them starts a terminated
 * string.  The arena owns what was decompressed and the units; the rest is
 * borrowed from the file.  Any number of threads may read it once opened.
 */
struct dwarf {
	struct span info;
	struct span abbrev;
	struct span line;
	struct span line_str;
	struct span str;
	struct span str_offsets;
	struct span addr;
	struct span ranges;
	struct span rnglists;
	struct span aranges;
	struct span cu_index;	   /* of a package (.dwp) only */
	struct span type_info;	   /* DWARF 4's section of type units */
	const struct dwarf *alt;   /* dwz's shared file; NULL: none */
	const struct dwarf *types; /* the same file, but its type units */
	struct dwarf_unit *unit;
	uint32_t unit_count;
	bool split; /* read from ".dwo" sections */
};

/*
 * Opens the debug sections of elf, or with split its ".dwo" ones.  Returns 0,
 * -ENODATA if there are none, or another negative errno.  A unit that cannot
 * be read, and all after it, are left out.
 */
int dwarf_open(struct dwarf *d, const struct elf *elf, bool split,
	       struct arena *arena, struct error *err);

/*
 * The same for sections that are in memory: fills in the units of d, whose
 * sections are set and nothing else.
 */
int dwarf_read_units(struct dwarf *d, struct arena *arena, struct error *err);

/* The unit that holds an offset in .debug_info; NULL: none. */
const struct dwarf_unit *dwarf_unit_at(const struct dwarf *d, uint64_t offset);

/* The unit of a type among a file's type units; NULL: none.  Searches all. */
const struct dwarf_unit *dwarf_type_unit(const struct dwarf *types,
					 uint64_t signature);

/*
 * The part of a package (.dwp) that belongs to the unit with this id, as if it
 * were a .dwo file of its own.  False if the package does not have it.
 */
bool dwarf_package_find(const struct dwarf *package, uint64_t dwo_id,
			struct arena *arena, struct dwarf *ret);

/* The string at offset of a string section; "" if there is none. */
static inline const char *dwarf_string(struct span section, uint64_t offset)
{
	return offset < section.len ? (const char *)section.at + offset : "";
}

#endif /* WICK_DWARF_FILE_H */

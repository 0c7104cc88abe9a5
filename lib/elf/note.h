/* SPDX-License-Identifier: MIT */
#ifndef WICK_ELF_NOTE_H
#define WICK_ELF_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct elf;

enum {
	BUILD_ID_MAX = 64,		      /* bytes; linkers write 8 to 20 */
	BUILD_ID_TEXT = 2 * BUILD_ID_MAX + 1, /* in hexadecimal, with a NUL */
};

/* What the linker named a file by.  A plain value; len 0: unknown. */
struct build_id {
	uint8_t len;
	uint8_t byte[BUILD_ID_MAX];
};

struct elf_note {
	struct span owner; /* without its NUL */
	struct span body;
	uint32_t type;
};

/*
 * Takes the next note from the front of notes; false at the end or at the
 * first one that is cut.  align is 4, or 8 for segments that say so.
 */
bool elf_note_next(struct reader *notes, unsigned align, struct elf_note *ret);

/* Finds a note by owner and type in any PT_NOTE or SHT_NOTE. */
bool elf_find_note(const struct elf *elf, const char *owner, uint32_t type,
		   struct elf_note *ret);

/* The build id in a bare sequence of notes, as /sys/kernel/notes holds. */
bool build_id_in_notes(struct span notes, struct build_id *ret);

/* The GNU build id of a file; false if it has none. */
bool build_id_of(const struct elf *elf, struct build_id *ret);

/* The bytes given, as a build id; len 0 if there are none or too many. */
struct build_id build_id_make(struct span bytes);

/* Reads hexadecimal text; false if it is not that or too long. */
bool build_id_parse(struct span text, struct build_id *ret);

/* Writes lower-case hexadecimal and a NUL into buf, and returns buf. */
char *build_id_text(const struct build_id *id, char buf[BUILD_ID_TEXT]);

/* Whether both are known and equal. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);

#endif /* WICK_ELF_NOTE_H */

/* SPDX-License-Identifier: MIT */
/*
 * The pieces that text profiles are made of.  What counts as a space, a number
 * or a line was never written down; the programs that read these files use
 * Go's library, so its rules are the format's rules and are kept to the letter.
 */
#ifndef WICK_FORMAT_LEGACY_TEXT_H
#define WICK_FORMAT_LEGACY_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/*
 * The lines of a text, without their "\n" or "\r\n".  Before the first and
 * after the last, line is empty.
 */
struct lines {
	struct span rest;
	struct span line;
	uint32_t number; /* of line, from 1, for messages */
};

static inline struct lines lines_of(struct span text)
{
	return (struct lines){ .rest = text };
}

/* Goes to the next line; false if there is none. */
bool lines_next(struct lines *l);

/* Goes to the first line that is neither blank nor a comment, or to the end. */
void lines_skip_remarks(struct lines *l);

/* Sets of characters, to be combined with |. */
enum text_class {
	TEXT_BLANK = 1 << 0,   /* ' ' alone */
	TEXT_SPACE = 1 << 1,   /* ' ' \t \n \f \r, as \s of a pattern */
	TEXT_DIGIT = 1 << 2,   /* 0-9 */
	TEXT_HEX = 1 << 3,     /* 0-9 a-f A-F */
	TEXT_LOWER = 1 << 4,   /* 0-9 a-f: addresses of stacks */
	TEXT_ADDRESS = 1 << 5, /* what lists of addresses are made of */
	TEXT_WORD = 1 << 6,    /* 0-9 a-z A-Z _ */
	TEXT_KIND = 1 << 7,    /* 0-9 a-z _ */
	TEXT_ACCESS = 1 << 8,  /* r w x p -: access rights */
};

bool text_in(uint8_t c, unsigned classes);

/* Takes the longest run of such characters, maybe empty. */
struct span text_run(struct reader *r, unsigned classes);

/* Takes the longest run of other characters, maybe empty. */
struct span text_run_not(struct reader *r, unsigned classes);

/* Takes the literal if it comes next, else nothing; true if it came. */
bool text_take(struct reader *r, const char *literal);

/* Takes a "0x" and lower-case hexadecimal digits; empty if they are not next.
 */
struct span text_take_address(struct reader *r);

/* Whether s is blank or a comment. */
bool text_is_remark(struct span s);

bool text_contains(struct span s, const char *literal);

/* How much of s to show in a message, for "%.*s". */
static inline int text_shown(struct span s)
{
	return s.len < 100 ? (int)s.len : 100;
}

/*
 * Parses all of s.  Base 0 goes by the prefix (0x, 0o, 0b, 0) and allows '_'
 * between digits.  False if s is no number or does not fit 64 bits.
 */
bool text_unsigned(struct span s, unsigned base, uint64_t *ret);

/* The same with an optional sign. */
bool text_signed(struct span s, unsigned base, int64_t *ret);

#endif /* WICK_FORMAT_LEGACY_TEXT_H */

/* SPDX-License-Identifier: MIT */
/*
 * Inside the translator of regular expressions: the parser's state, and what
 * regex_syntax.c, regex_escape.c and regex_class.c need of each other.
 */
#ifndef WICK_REPORT_REGEX_PARSER_H
#define WICK_REPORT_REGEX_PARSER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"

struct error;
struct sink;

enum regex_flags {
	FLAG_FOLD = 1 << 0,	   /* i */
	FLAG_MULTILINE = 1 << 1,   /* m */
	FLAG_DOT_NEWLINE = 1 << 2, /* s */
	FLAG_LAZY = 1 << 3,	   /* U */
};

/* The last thing written that a quantifier can apply to. */
struct regex_atom {
	bool exists;
	bool simple;	 /* a quantifier may stand right after it */
	unsigned wraps;	 /* groups put around it */
	uint32_t weight; /* the largest product of repeat counts in it */
	size_t start;	 /* in the output */
};

/* What a group inherits, restored at its end. */
struct regex_group {
	unsigned flags;
	bool folding;
	size_t start;
	uint32_t weight;
};

struct regex_parser {
	struct span whole;
	struct span rest;
	struct sink *out;
	struct error *err;
	struct arena arena; /* of groups */
	VEC(struct regex_group) groups;
	unsigned flags;
	bool folding; /* what PCRE2's case option is at this point */
	struct regex_atom atom;
	uint32_t weight;    /* of the group's atoms so far */
	struct span repeat; /* from the repetition just read on; or empty */
	unsigned folded_groups;
};

/* regex_escape.c: reading characters, escapes and groups of characters. */

/* What utf8_decode() returns for what is not UTF-8. */
enum { RUNE_ERROR = 0xfffd, RUNE_MAX = 0x10ffff };

/* Decodes a character of s as Go does; *ret_len is 1 for what is not UTF-8. */
uint32_t utf8_decode(struct span s, size_t *ret_len);

/* Sets Go's words for what is wrong with where; returns -EINVAL. */
int regex_fail(struct regex_parser *p, const char *what, struct span where);
int regex_check_utf8(struct regex_parser *p, struct span s);

/* The next character, or RUNE_ERROR at the end.  0 or -EINVAL. */
int regex_next_rune(struct regex_parser *p, uint32_t *ret);

/* The character that an escape sequence stands for. */
int regex_parse_escape(struct regex_parser *p, uint32_t *ret);

/*
 * Write what they read for use inside brackets.  Return 1, 0 if there is no
 * such thing to read, or a negative errno.  A group that is alone in its
 * brackets negates them rather than itself, which is much shorter.
 */
int regex_parse_unicode_group(struct regex_parser *p, bool alone); /* \pL */
int regex_parse_perl_group(struct regex_parser *p);		   /* \d */
int regex_parse_posix_group(struct regex_parser *p); /* [:alpha:] */

/* Reads and writes a character or a range in the brackets that start at class.
 */
int regex_parse_class_range(struct regex_parser *p, struct span class);

/* regex_class.c: sets of characters, written inside brackets. */

/* A group by its name, \d or [:alpha:], of ASCII characters. */
struct ascii_group {
	uint64_t bits[2];
	bool negated;
};

bool ascii_group_find(struct span name, struct ascii_group *ret);
void ascii_group_write(struct sink *out, struct ascii_group g, bool fold);

/* A general category or a script by the name that Go knows it by. */
bool unicode_group_known(struct span name);

/*
 * Writes it, or its complement.  With fold, characters that differ from one in
 * the group by case only are in it.  Returns 0 or -ENOMEM.
 */
int unicode_group_write(struct sink *out, struct span name, bool negated,
			bool fold);

/* Writes a character or a range of them. */
void rune_write(struct sink *out, uint32_t c);
void range_write(struct sink *out, uint32_t lo, uint32_t hi);

/* What has been read since start. */
static inline struct span read_since(const struct regex_parser *p,
				     struct span start)
{
	start.len -= p->rest.len;
	return start;
}

static inline uint8_t peek(const struct regex_parser *p, size_t i)
{
	return i < p->rest.len ? p->rest.at[i] : 0;
}

static inline void skip(struct regex_parser *p, size_t n)
{
	p->rest = span_of(p->rest.at + n, p->rest.len - n);
}

static inline bool is_digit(uint32_t c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_alnum(uint32_t c)
{
	return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

#endif /* WICK_REPORT_REGEX_PARSER_H */

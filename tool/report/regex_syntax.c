/* SPDX-License-Identifier: MIT */
/*
 * Reads regular expressions as Go does and writes them for PCRE2.  The two
 * differ in syntax (PCRE2 has much that Go refuses) and in meaning: \s, \w, $,
 * \z, newlines, case, classes.  So this parses Go's syntax in full, with Go's
 * errors, and writes only what means the same to PCRE2.
 *
 * Go 1.22's syntax: (?<name>...) is known, the long names of categories that
 * came with 1.25 are not.
 */
#include "report/regex_syntax.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/vec.h"
#include "report/regex_parser.h"

enum {
	NESTING_MAX = 1000,
	REPEAT_MAX = 1000, /* also the product of nested ones */
};

/* Writing. */

/* Makes PCRE2 heed case or not, as the flags say. */
static void sync_folding(struct regex_parser *p)
{
	bool fold = (p->flags & FLAG_FOLD) != 0;

	if (p->folding != fold)
		sink_text(p->out, fold ? "(?i)" : "(?-i)");
	p->folding = fold;
}

static void atom_starts(struct regex_parser *p, bool simple)
{
	p->atom = (struct regex_atom){
		.exists = true,
		.simple = simple,
		.weight = 1,
		.start = p->out->used,
	};
}

static void write_literal(struct regex_parser *p, uint32_t c)
{
	sync_folding(p);
	atom_starts(p, true);
	rune_write(p->out, c);
}

static void write_assertion(struct regex_parser *p, const char *text)
{
	atom_starts(p, false);
	sink_text(p->out, text);
}

/* Puts a group around the atom, so that a quantifier can follow. */
static int wrap_atom(struct regex_parser *p)
{
	static const char open[] = "(?:";
	size_t n = sizeof(open) - 1;
	size_t len = p->out->used - p->atom.start;
	char *at;

	if (++p->atom.wraps > NESTING_MAX)
		return regex_fail(p, "expression nests too deeply", p->whole);
	sink_text(p->out, open);
	sink_char(p->out, ')');
	if (p->out->error)
		return p->out->error;
	at = p->out->buf + p->atom.start;
	memmove(at + n, at, len);
	memcpy(at, open, n);
	p->atom.simple = true;
	return 0;
}

/* Repetition. */

struct repeat {
	int min;
	int max; /* -1: no limit */
};

/* A decimal without leading zeros; -1 if it is too large. */
static bool parse_int(struct span *s, int *ret)
{
	size_t len = 0;

	*ret = 0;
	while (len < s->len && is_digit(s->at[len])) {
		if (*ret >= 0)
			*ret = *ret >= 100000000
				       ? -1
				       : *ret * 10 + (s->at[len] - '0');
		len++;
	}
	if (!len || (len > 1 && s->at[0] == '0'))
		return false;
	*s = span_of(s->at + len, s->len - len);
	return true;
}

static bool span_eat(struct span *s, char c)
{
	if (!s->len || s->at[0] != (uint8_t)c)
		return false;
	*s = span_of(s->at + 1, s->len - 1);
	return true;
}

/* {min}, {min,} or {min,max}; anything else is not a repetition. */
static bool parse_counts(struct regex_parser *p, struct repeat *ret)
{
	struct span s = p->rest;

	if (!span_eat(&s, '{') || !parse_int(&s, &ret->min))
		return false;
	ret->max = ret->min;
	if (span_eat(&s, ',')) {
		ret->max = -1;
		if (s.len && s.at[0] != '}') {
			if (!parse_int(&s, &ret->max))
				return false;
			if (ret->max < 0)
				ret->min = -1;
		}
	}
	if (!span_eat(&s, '}'))
		return false;
	p->rest = s;
	return true;
}

/* Counts that nest multiply; {0} makes what it repeats count for nothing. */
static void add_weight(struct regex_parser *p, struct repeat r)
{
	uint32_t count = (uint32_t)(r.max < 0 ? r.min : r.max);

	if (r.max == 0)
		p->atom.weight = 1;
	else if (count)
		p->atom.weight *= count;
	if (p->atom.weight > p->weight)
		p->weight = p->atom.weight;
}

static void write_repeat(struct regex_parser *p, struct repeat r, bool lazy)
{
	if (r.min == 0 && r.max < 0)
		sink_char(p->out, '*');
	else if (r.min == 1 && r.max < 0)
		sink_char(p->out, '+');
	else if (r.min == 0 && r.max == 1)
		sink_char(p->out, '?');
	else if (r.max < 0)
		sink_format(p->out, "{%d,}", r.min);
	else
		sink_format(p->out, "{%d,%d}", r.min, r.max);
	if (lazy)
		sink_char(p->out, '?');
	p->atom.simple = false;
}

/* The repetition has been read but for a '?' that makes it lazy. */
static int apply_repeat(struct regex_parser *p, struct repeat r, bool counted,
			struct span start)
{
	bool lazy = (p->flags & FLAG_LAZY) != 0;
	int ret;

	if (span_eat(&p->rest, '?'))
		lazy = !lazy;
	if (p->repeat.len)
		return regex_fail(p, "invalid nested repetition operator",
				  read_since(p, p->repeat));
	if (!p->atom.exists)
		return regex_fail(p, "missing argument to repetition operator",
				  read_since(p, start));
	if (counted)
		add_weight(p, r);
	if (counted && (r.min >= 2 || r.max >= 2) &&
	    p->atom.weight > REPEAT_MAX)
		return regex_fail(p, "invalid repeat count",
				  read_since(p, start));
	if (!p->atom.simple) {
		ret = wrap_atom(p);
		if (ret < 0)
			return ret;
	}
	write_repeat(p, r, lazy);
	p->repeat = start;
	return 0;
}

static int parse_repeat_op(struct regex_parser *p)
{
	struct span start = p->rest;
	uint8_t op = peek(p, 0);
	struct repeat r = {
		.min = op == '+' ? 1 : 0,
		.max = op == '?' ? 1 : -1,
	};

	skip(p, 1);
	return apply_repeat(p, r, false, start);
}

static int parse_brace(struct regex_parser *p)
{
	struct span start = p->rest;
	struct repeat r;

	if (!parse_counts(p, &r)) {
		p->repeat = (struct span){ 0 };
		skip(p, 1);
		write_literal(p, '{');
		return 0;
	}
	if (r.min < 0 || r.min > REPEAT_MAX || r.max > REPEAT_MAX ||
	    (r.max >= 0 && r.min > r.max))
		return regex_fail(p, "invalid repeat count",
				  read_since(p, start));
	return apply_repeat(p, r, true, start);
}

/* Groups. */

static int open_group(struct regex_parser *p, const char *text)
{
	struct regex_group *g;

	if (p->groups.count >= NESTING_MAX)
		return regex_fail(p, "expression nests too deeply", p->whole);
	g = VEC_PUSH(&p->groups, &p->arena);
	if (!g)
		return -ENOMEM;
	*g = (struct regex_group){
		.flags = p->flags,
		.folding = p->folding,
		.start = p->out->used,
		.weight = p->weight,
	};
	sink_text(p->out, text);
	p->atom.exists = false;
	p->weight = 1;
	return 0;
}

static int close_group(struct regex_parser *p)
{
	const struct regex_group *g;

	if (!p->groups.count)
		return regex_fail(p, "unexpected )", p->whole);
	g = &p->groups.at[--p->groups.count];
	skip(p, 1);
	sink_char(p->out, ')');
	p->flags = g->flags;
	p->folding = g->folding;
	p->atom = (struct regex_atom){
		.exists = true,
		.simple = true,
		.weight = p->weight,
		.start = g->start,
	};
	if (p->weight < g->weight)
		p->weight = g->weight;
	return 0;
}

static bool is_group_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!is_alnum(name.at[i]) && name.at[i] != '_')
			return false;
	return name.len > 0;
}

/* (?P<name> or (?<name>; prefix is the length before the name. */
static int parse_named_group(struct regex_parser *p, size_t prefix)
{
	const uint8_t *end = memchr(p->rest.at, '>', p->rest.len);
	struct span name;
	size_t len;
	int r;

	if (!end) {
		r = regex_check_utf8(p, p->rest);
		return r < 0 ? r
			     : regex_fail(p, "invalid named capture", p->rest);
	}
	len = (size_t)(end - p->rest.at);
	/* "(?P<>" has the '>' right after the '<'. */
	name = span_of(p->rest.at + prefix, len - prefix);
	r = regex_check_utf8(p, name);
	if (r < 0)
		return r;
	if (!is_group_name(name))
		return regex_fail(p, "invalid named capture",
				  span_of(p->rest.at, len + 1));
	skip(p, len + 1);
	return open_group(p, "(");
}

static unsigned flag_bit(uint32_t c)
{
	switch (c) {
	case 'i':
		return FLAG_FOLD;
	case 'm':
		return FLAG_MULTILINE;
	case 's':
		return FLAG_DOT_NEWLINE;
	case 'U':
		return FLAG_LAZY;
	default:
		return 0;
	}
}

/* (?flags), (?flags:, with a '-' before flags to be cleared. */
static int parse_flags(struct regex_parser *p)
{
	struct span start = p->rest;
	unsigned flags = p->flags;
	bool clear = false;
	bool dangling = false; /* a '-' with nothing behind it */
	uint32_t c;
	int r;

	skip(p, 2);
	while (p->rest.len) {
		r = regex_next_rune(p, &c);
		if (r < 0)
			return r;
		if (flag_bit(c)) {
			flags = clear ? flags & ~flag_bit(c)
				      : flags | flag_bit(c);
			dangling = false;
		} else if (c == '-' && !clear) {
			clear = true;
			dangling = true;
		} else if ((c == ':' || c == ')') && !dangling) {
			r = c == ':' ? open_group(p, "(?:") : 0;
			p->flags = flags;
			return r;
		} else {
			break;
		}
	}
	return regex_fail(p, "invalid or unsupported Perl syntax",
			  read_since(p, start));
}

static int parse_group(struct regex_parser *p)
{
	if (peek(p, 1) != '?') {
		skip(p, 1);
		return open_group(p, "(");
	}
	if (p->rest.len > 4 && peek(p, 2) == 'P' && peek(p, 3) == '<')
		return parse_named_group(p, 4);
	if (p->rest.len > 3 && peek(p, 2) == '<')
		return parse_named_group(p, 3);
	return parse_flags(p);
}

/* Brackets and escapes. */

static int parse_class(struct regex_parser *p)
{
	struct span class = p->rest;
	bool first = true;
	int r;

	sync_folding(p);
	atom_starts(p, true);
	sink_char(p->out, '[');
	skip(p, 1);
	if (peek(p, 0) == '^') {
		sink_char(p->out, '^');
		skip(p, 1);
	}
	for (; first || peek(p, 0) != ']'; first = false) {
		r = regex_parse_posix_group(p);
		if (r == 0)
			r = regex_parse_unicode_group(p, false);
		if (r == 0)
			r = regex_parse_perl_group(p);
		if (r == 0)
			r = regex_parse_class_range(p, class);
		if (r < 0)
			return r;
	}
	skip(p, 1);
	sink_char(p->out, ']');
	return 0;
}

/* \Q...\E */
static int parse_quoted(struct regex_parser *p)
{
	struct span quoted;
	struct span after = { 0 };
	const uint8_t *end;
	uint32_t c;
	int r;

	skip(p, 2);
	quoted = p->rest;
	end = memmem(quoted.at, quoted.len, "\\E", 2);
	if (end) {
		quoted.len = (size_t)(end - quoted.at);
		after = span_of(end + 2, p->rest.len - quoted.len - 2);
	}
	p->rest = quoted;
	while (p->rest.len) {
		r = regex_next_rune(p, &c);
		if (r < 0)
			return r;
		write_literal(p, c);
	}
	p->rest = after;
	return 0;
}

/* A group of characters outside of brackets. */
static int parse_lone_group(struct regex_parser *p)
{
	struct sink *out = p->out;
	size_t before;
	int r;

	sync_folding(p);
	before = out->used;
	sink_char(out, '[');
	r = regex_parse_unicode_group(p, true);
	if (r == 0)
		r = regex_parse_perl_group(p);
	if (r <= 0) {
		out->used = before;
		return r;
	}
	sink_char(out, ']');
	atom_starts(p, true);
	p->atom.start = before;
	return 1;
}

static int parse_backslash(struct regex_parser *p)
{
	uint32_t c;
	int r;

	switch (peek(p, 1)) {
	case 'A':
		write_assertion(p, "\\A");
		break;
	case 'b':
		write_assertion(p, "\\b");
		break;
	case 'B':
		write_assertion(p, "\\B");
		break;
	case 'z':
		write_assertion(p, "\\z");
		break;
	case 'C':
		return regex_fail(p, "invalid escape sequence",
				  span_of(p->rest.at, 2));
	case 'Q':
		return parse_quoted(p);
	default:
		r = parse_lone_group(p);
		if (r != 0)
			return r < 0 ? r : 0;
		r = regex_parse_escape(p, &c);
		if (r == 0)
			write_literal(p, c);
		return r;
	}
	skip(p, 2);
	return 0;
}

static int parse_plain(struct regex_parser *p)
{
	uint32_t c;
	int r = regex_next_rune(p, &c);

	if (r == 0)
		write_literal(p, c);
	return r;
}

static void parse_anchor(struct regex_parser *p)
{
	bool start = peek(p, 0) == '^';

	if (p->flags & FLAG_MULTILINE)
		write_assertion(p, start ? "(?m:^)" : "(?m:$)");
	else
		write_assertion(p, start ? "\\A" : "\\z");
	skip(p, 1);
}

static void parse_dot(struct regex_parser *p)
{
	atom_starts(p, true);
	sink_text(p->out, p->flags & FLAG_DOT_NEWLINE ? "(?s:.)" : ".");
	skip(p, 1);
}

static int parse_one(struct regex_parser *p)
{
	switch (peek(p, 0)) {
	case '(':
		return parse_group(p);
	case ')':
		return close_group(p);
	case '|':
		sink_char(p->out, '|');
		p->atom.exists = false;
		skip(p, 1);
		return 0;
	case '^':
	case '$':
		parse_anchor(p);
		return 0;
	case '.':
		parse_dot(p);
		return 0;
	case '[':
		return parse_class(p);
	case '\\':
		return parse_backslash(p);
	default:
		return parse_plain(p);
	}
}

static int parse_all(struct regex_parser *p)
{
	int r;

	while (p->rest.len) {
		uint8_t c = peek(p, 0);

		if (c == '*' || c == '+' || c == '?') {
			r = parse_repeat_op(p);
		} else if (c == '{') {
			r = parse_brace(p);
		} else {
			p->repeat = (struct span){ 0 };
			r = parse_one(p);
		}
		if (r < 0)
			return r;
	}
	if (p->groups.count)
		return regex_fail(p, "missing closing )", p->whole);
	return p->out->error;
}

int regex_translate(struct span pattern, struct sink *out, struct error *err)
{
	struct regex_parser p = {
		.whole = pattern,
		.rest = pattern,
		.out = out,
		.err = err,
		.weight = 1,
	};
	int r = parse_all(&p);

	arena_release(&p.arena);
	if (r == -ENOMEM)
		return error_set(err, r, "out of memory");
	return r;
}

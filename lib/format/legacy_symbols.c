/* SPDX-License-Identifier: MIT */
/*
 * The symbols in profiles of the Java agent, " 0xADDRESS what it is", where
 * the latter is one of
 *
 *	function (file:line)
 *	function (path of a library)
 *	... generated stub/JIT ...
 *	anything else, such as a state of the virtual machine: "GC"
 */
#include "format/legacy_symbols.h"

#include <errno.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/space.h"
#include "format/legacy_build.h"
#include "format/legacy_mappings.h"
#include "format/legacy_text.h"

struct symbol {
	struct span function;
	struct span file;
	int64_t line;
};

/*
 * Splits "function (inside)": at the last '(' that stands behind a space and
 * before limit.  What is inside goes up to limit.
 */
static bool split_parenthesis(struct span text, size_t limit,
			      struct span *function, struct span *inside)
{
	for (size_t i = limit; i-- > 1;) {
		if (text.at[i] != '(' || !text_in(text.at[i - 1], TEXT_SPACE))
			continue;
		*function = span_of(text.at, i - 1);
		*inside = span_of(text.at + i + 1, limit - i - 1);
		return true;
	}
	return false;
}

/* "function (file:line)" */
static bool parse_file_line(struct span text, struct symbol *s)
{
	size_t digits, colon;
	int64_t line;

	if (!text.len || text.at[text.len - 1] != ')')
		return false;
	digits = text.len - 1;
	while (digits && text_in(text.at[digits - 1], TEXT_DIGIT))
		digits--;
	if (digits == text.len - 1)
		return false;
	colon = digits;
	if (colon && text.at[colon - 1] == '-')
		colon--;
	if (!colon || text.at[colon - 1] != ':')
		return false;
	colon--;
	/* There is a file: the parenthesis is not right before the colon. */
	if (!colon ||
	    !split_parenthesis(text, colon - 1, &s->function, &s->file))
		return false;

	s->file.len++;
	if (text_signed(span_of(text.at + colon + 1, text.len - colon - 2), 10,
			&line) &&
	    line > 0)
		s->line = line;
	return true;
}

/* The part behind the last '/', as basename(1) finds it. */
static struct span base_name(struct span path)
{
	size_t start;

	if (!path.len)
		return span_text(".");
	while (path.len && path.at[path.len - 1] == '/')
		path.len--;
	if (!path.len)
		return span_text("/");
	start = path.len;
	while (start && path.at[start - 1] != '/')
		start--;
	return span_of(path.at + start, path.len - start);
}

/* "function (path)" */
static bool parse_path(struct span text, struct symbol *s)
{
	struct span path;

	if (!text.len || text.at[text.len - 1] != ')' ||
	    !split_parenthesis(text, text.len - 1, &s->function, &path))
		return false;
	s->file = base_name(path);
	return true;
}

static struct symbol parse_symbol(struct span text)
{
	struct symbol s = { 0 };

	if (parse_file_line(text, &s) || parse_path(text, &s))
		return s;
	s.function = text_contains(text, "generated stub/JIT")
			     ? span_text("STUB")
			     : text;
	return s;
}

/* The function of that name, as index + 1; the first file it had stays. */
static uint32_t intern_function(struct legacy_build *b, struct table *names,
				const struct symbol *s)
{
	uint32_t hash = hash_bytes(s->function.at, s->function.len);
	uint32_t i = table_start(names, hash);
	struct legacy_function *f;
	uint32_t id;

	for (; (id = table_id(names, i, hash)) != TABLE_END;
	     i = table_next(names, i))
		if (id && span_equal(b->functions.at[id - 1].name, s->function))
			return id;

	f = VEC_PUSH(&b->functions, b->arena);
	if (!f || !table_add(names, b->arena, hash, b->functions.count))
		return 0;
	f->name = s->function;
	f->file = s->file;
	return b->functions.count;
}

/* Returns 0, or -EBADMSG if the address is too large. */
static int read_symbol(struct legacy_build *b, struct table *names,
		       struct span line)
{
	struct reader r = reader_of(span_trim(line));
	struct span number;
	struct symbol s;
	uint64_t address;
	uint32_t place;

	if (!text_take(&r, "0x"))
		return 0;
	number = text_run(&r, TEXT_HEX);
	if (!number.len || !text_run(&r, TEXT_SPACE).len)
		return 0;
	if (!text_unsigned(number, 16, &address))
		return -EBADMSG;
	place = legacy_find_place(b, address);
	if (!place)
		return 0;
	s = parse_symbol(span_of(r.at, reader_left(&r)));
	b->places.at[place].function = intern_function(b, names, &s);
	b->places.at[place].line = s.line;
	return 0;
}

/*
 * Addresses without a symbol get a mapping before they are forgotten; it shows
 * in the profile that they were there.
 */
static void finish_places(struct legacy_build *b)
{
	for (uint32_t i = 0; i < b->places.count; i++)
		if (b->places.at[i].function)
			b->places.at[i].address = 0;
	legacy_number(b);
	legacy_assign_mappings(b);
	for (uint32_t i = 0; i < b->places.count; i++)
		b->places.at[i].address = 0;
}

int legacy_read_symbols(struct legacy_build *b, struct span text,
			struct error *err)
{
	struct lines lines = lines_of(text);
	struct table names = { 0 };

	while (lines_next(&lines))
		if (read_symbol(b, &names, lines.line) < 0)
			return error_set(
				err, -EBADMSG,
				"the address of a symbol has more than 64 bits: '%.*s'",
				text_shown(lines.line), lines.line.at);
	finish_places(b);
	return b->arena->failed ? -ENOMEM : 0;
}

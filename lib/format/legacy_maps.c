/* SPDX-License-Identifier: MIT */
/*
 * The memory map that follows the samples: entries (see legacy_entry.h), whose
 * lines may come from a log and hold variables that other lines define.
 */
#include "format/legacy_maps.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "base/space.h"
#include "format/legacy_build.h"
#include "format/legacy_entry.h"
#include "format/legacy_mappings.h"
#include "format/legacy_text.h"

/* NAME=VALUE lines define $NAME for the lines after them. */
struct variable {
	struct span name;
	struct span value;
};

/*
 * What variables may cost in all: names compared and bytes made of them.  They
 * may be made of each other, so without a limit forty lines could fill any
 * memory; real files have one or two, with short names.
 */
enum { MOST_WORK = 1 << 26 };

struct map_text {
	struct arena *arena;
	VEC(struct variable) variables;
	struct sink expanded; /* the current line, if it had variables */
	uint64_t work;
};

/* Replaces the "$" that text starts with; the earliest definition wins. */
static size_t expand_one(struct map_text *t, struct span text)
{
	for (uint32_t i = 0; i < t->variables.count; i++) {
		const struct variable *v = &t->variables.at[i];

		t->work += 1 + v->name.len / 64;
		if (text.len - 1 < v->name.len ||
		    !span_equal(span_of(text.at + 1, v->name.len), v->name))
			continue;
		sink_span(&t->expanded, v->value);
		t->work += v->value.len + v->name.len;
		return 1 + v->name.len;
	}
	sink_char(&t->expanded, '$');
	return 1;
}

/* Replaces the variables in *line.  Returns 0, -E2BIG or -ENOMEM. */
static int expand(struct map_text *t, struct span *line)
{
	struct span rest = *line;

	if (!t->variables.count || !text_contains(*line, "$"))
		return 0;
	t->expanded.used = 0;
	while (rest.len) {
		const uint8_t *dollar = memchr(rest.at, '$', rest.len);
		size_t n = dollar ? (size_t)(dollar - rest.at) : rest.len;

		sink_write(&t->expanded, rest.at, n);
		if (dollar)
			n += expand_one(t, span_part(rest, n, rest.len - n));
		if (t->work > MOST_WORK)
			return -E2BIG;
		rest = span_of(rest.at + n, rest.len - n);
	}
	*line = sink_bytes(&t->expanded);
	return t->expanded.error;
}

/* Makes s outlive the line it is in. */
static struct span keep(struct map_text *t, struct span s)
{
	const char *copy = NULL;

	if (t->expanded.used && s.len)
		copy = arena_text(t->arena, (const char *)s.at, s.len);
	return copy ? span_of(copy, s.len) : s;
}

static void define(struct map_text *t, struct span line)
{
	const uint8_t *equals = line.len ? memchr(line.at, '=', line.len)
					 : NULL;
	struct variable *v;
	size_t n;

	if (!equals)
		return;
	v = VEC_PUSH(&t->variables, t->arena);
	if (!v)
		return;
	n = (size_t)(equals - line.at);
	v->name = keep(t, span_trim(span_of(line.at, n)));
	v->value = keep(t, span_trim(span_of(equals + 1, line.len - n - 1)));
}

/* Removes what a log's lines begin with, "...file:LINE] ". */
static struct span without_log_prefix(struct span line)
{
	size_t bracket = 0;
	size_t colon;

	while (bracket < line.len && line.at[bracket] != '[' &&
	       line.at[bracket] != ']')
		bracket++;
	if (bracket + 1 >= line.len || line.at[bracket] != ']' ||
	    !text_in(line.at[bracket + 1], TEXT_SPACE))
		return line;
	colon = bracket;
	while (colon && text_in(line.at[colon - 1], TEXT_DIGIT))
		colon--;
	if (colon == bracket || colon < 2 || line.at[colon - 1] != ':')
		return line;
	return span_of(line.at + bracket + 2, line.len - bracket - 2);
}

static void read_entry(struct legacy_build *b, struct map_text *t,
		       struct span line)
{
	struct legacy_mapping m;
	struct legacy_mapping *row;

	switch (legacy_parse_entry(line, &m)) {
	case ENTRY_NONE:
		define(t, line);
		return;
	case ENTRY_DATA:
		return;
	case ENTRY_CODE:
		break;
	}
	m.file = keep(t, m.file);
	m.build_id = keep(t, m.build_id);
	row = VEC_PUSH(&b->mappings, b->arena);
	if (row)
		*row = m;
}

static int read_entries(struct legacy_build *b, struct lines *lines,
			struct error *err)
{
	struct map_text t = { .arena = b->arena,
			      .expanded = sink_to_memory(b->arena) };

	while (lines_next(lines)) {
		struct span line = without_log_prefix(lines->line);
		int r;

		t.expanded.used = 0;
		r = expand(&t, &line);
		if (r == -E2BIG)
			return error_set(
				err, r,
				"line %u: variables of the memory map expand beyond reason",
				lines->number);
		read_entry(b, &t, line);
	}
	return b->arena->failed ? -ENOMEM : 0;
}

int legacy_read_maps(struct legacy_build *b, struct lines *lines,
		     struct error *err)
{
	int r = read_entries(b, lines, err);

	if (r < 0)
		return r;
	legacy_clean_mappings(b);
	legacy_number(b);
	legacy_assign_mappings(b);
	return 0;
}

bool legacy_is_map_header(struct span line)
{
	return text_contains(line, "--- Memory map: ---") ||
	       text_contains(line, "MAPPED_LIBRARIES:");
}

int legacy_read_sections(struct legacy_build *b, struct lines *lines,
			 struct error *err)
{
	while (!legacy_is_map_header(lines->line) && lines_next(lines))
		;
	return legacy_read_maps(b, lines, err);
}

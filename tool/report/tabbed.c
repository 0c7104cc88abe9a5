/* SPDX-License-Identifier: MIT */
/*
 * Columns of text whose cells may hold anything.  Tabs and line ends from
 * outside are cells and lines here as well, as they are for pprof.
 */
#include "report/tabbed.h"

#include <errno.h>

#include "base/sink.h"
#include "base/vec.h"
#include "profile/number.h"

struct cell {
	struct span text;
	size_t width; /* of its column */
};

struct tabbed_line {
	uint32_t first; /* cell */
	uint32_t cells; /* that end in a tab; one more comes after them */
	bool last;	/* columns end with this line */
};

struct tabbed {
	VEC(struct cell) cells;
	VEC(struct tabbed_line) lines;
};

static int add_line(struct tabbed *t, struct span text, struct arena *arena)
{
	struct tabbed_line *l = VEC_PUSH(&t->lines, arena);
	size_t start = 0;

	if (!l)
		return -ENOMEM;
	l->first = t->cells.count;
	for (size_t i = 0; i <= text.len; i++) {
		bool end = i == text.len;
		struct cell *c;

		if (!end && text.at[i] != '\t' && text.at[i] != '\v')
			continue;
		c = VEC_PUSH(&t->cells, arena);
		if (!c)
			return -ENOMEM;
		c->text = span_of(text.at + start, i - start);
		l->cells += !end;
		start = i + 1;
	}
	return 0;
}

static int split(struct tabbed *t, struct span text, struct arena *arena)
{
	size_t start = 0;

	for (size_t i = 0; i < text.len; i++) {
		int r;

		if (text.at[i] != '\n' && text.at[i] != '\f')
			continue;
		r = add_line(t, span_of(text.at + start, i - start), arena);
		if (r < 0)
			return r;
		t->lines.at[t->lines.count - 1].last = text.at[i] == '\f';
		start = i + 1;
	}
	return 0;
}

/* Whether a cell of line i has another of its column above it. */
static bool goes_on(const struct tabbed *t, uint32_t i, uint32_t column)
{
	const struct tabbed_line *above = i ? &t->lines.at[i - 1] : NULL;

	return above && !above->last && column < above->cells;
}

/* The column that begins in line i. */
static void set_width(struct tabbed *t, uint32_t i, uint32_t column)
{
	size_t width = 0;
	uint32_t end = i;

	do {
		const struct tabbed_line *l = &t->lines.at[end++];
		size_t len = rune_count(t->cells.at[l->first + column].text);

		width = len + 1 > width ? len + 1 : width;
	} while (end < t->lines.count && goes_on(t, end, column) &&
		 column < t->lines.at[end].cells);
	while (i < end)
		t->cells.at[t->lines.at[i++].first + column].width = width;
}

static void put_line(struct tabbed *t, struct sink *out, uint32_t i)
{
	const struct tabbed_line *l = &t->lines.at[i];
	const struct cell *c = &t->cells.at[l->first];

	for (uint32_t column = 0; column < l->cells; column++, c++) {
		if (!goes_on(t, i, column))
			set_width(t, i, column);
		put_right(out, c->text, c->width);
	}
	sink_span(out, c->text);
	sink_char(out, '\n');
}

int put_tabbed(struct sink *out, struct span text, struct arena *arena)
{
	struct tabbed t = { 0 };
	int r = split(&t, text, arena);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < t.lines.count; i++)
		put_line(&t, out, i);
	return 0;
}

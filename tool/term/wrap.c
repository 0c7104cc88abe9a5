/* SPDX-License-Identifier: MIT */
/* See wrap.h.  Bytes are counted as columns: our own texts are ASCII. */
#include "term/wrap.h"

#include <string.h>

#include "base/sink.h"

/* Writes the len bytes at line. */
static void wrap_line(struct sink *out, const char *line, size_t len,
		      const struct wrap *w, unsigned column)
{
	const char *end = line + len;
	unsigned start = column;

	while (line < end) {
		const char *space = memchr(line, ' ', (size_t)(end - line));
		size_t word = (size_t)((space ? space : end) - line);

		if (word == 0) {
			line++; /* blanks in a row count as one */
			continue;
		}
		if (column > start && column + 1 + word > w->width) {
			sink_char(out, '\n');
			sink_repeat(out, ' ', w->indent);
			column = start = w->indent;
		} else if (column > start) {
			sink_char(out, ' ');
			column++;
		}
		sink_write(out, line, word);
		column += (unsigned)word;
		line += word + (space != NULL);
	}
}

void wrap_text(struct sink *out, const char *text, const struct wrap *w)
{
	unsigned column = w->column;

	for (;;) {
		size_t len = strcspn(text, "\n");

		if (*text == ' ')
			sink_write(out, text, len);
		else
			wrap_line(out, text, len, w, column);
		sink_char(out, '\n');
		text += len;
		if (!*text || !text[1])
			return;
		text++;
		if (*text != '\n')
			sink_repeat(out, ' ', w->indent);
		column = w->indent;
	}
}

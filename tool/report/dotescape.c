/* SPDX-License-Identifier: MIT */
/* See dotescape.h.  Most texts are written as they are. */
#include "report/dotescape.h"

#include <stdbool.h>

#include "base/sink.h"

/* Whether a byte of a text can be written as it is. */
static bool is_plain(uint8_t c)
{
	return c != '\\' && c != '"' && c != '\n';
}

void dot_put_escaped(struct sink *out, struct span text)
{
	size_t at = 0;

	while (at < text.len) {
		size_t end = at;

		while (end < text.len && is_plain(text.at[end]))
			end++;
		sink_write(out, text.at + at, end - at);
		if (end == text.len)
			return;
		sink_char(out, '\\');
		sink_char(out, text.at[end] == '\n' ? 'l' : (char)text.at[end]);
		at = end + 1;
	}
}

struct span dot_escaped(struct span text, struct arena *arena)
{
	struct sink copy = sink_to_memory(arena);
	size_t plain = 0;

	while (plain < text.len && is_plain(text.at[plain]))
		plain++;
	if (plain == text.len)
		return text;
	dot_put_escaped(&copy, text);
	return sink_bytes(&copy);
}

/* SPDX-License-Identifier: MIT */
/*
 * See json.h.  Symbol names come from files that we do not trust, so every
 * byte is accounted for: control characters are escaped, and so are '<', '>'
 * and '&', which lets the text stand inside an HTML page.
 */
#include "base/json.h"

#include "base/check.h"
#include "base/sink.h"
#include "base/utf8.h"

struct json json_to(struct sink *out)
{
	return (struct json){ .out = out };
}

/* Before each value or key: the comma, unless it is the first. */
static void separate(struct json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->follows[j->depth])
		sink_char(j->out, ',');
	j->follows[j->depth] = true;
}

void json_open(struct json *j, char kind)
{
	separate(j);
	sink_char(j->out, kind);
	j->depth++;
	ASSERT(j->depth < JSON_DEPTH);
	j->follows[j->depth] = false;
}

void json_close(struct json *j, char kind)
{
	ASSERT(j->depth > 0 && !j->after_key);
	j->depth--;
	sink_char(j->out, kind);
}

static bool is_plain(uint8_t c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' &&
	       c != '>' && c != '&';
}

static void escape(struct sink *out, uint8_t c)
{
	switch (c) {
	case '"':
	case '\\':
		sink_char(out, '\\');
		sink_char(out, (char)c);
		return;
	case '\n':
		sink_text(out, "\\n");
		return;
	case '\t':
		sink_text(out, "\\t");
		return;
	default:
		sink_format(out, "\\u%04x", (unsigned)c);
	}
}

static void quote(struct sink *out, struct span text)
{
	sink_char(out, '"');
	while (text.len) {
		size_t len = 0;

		while (len < text.len && is_plain(text.at[len]))
			len++;
		if (len) {
			sink_write(out, text.at, len);
		} else if ((len = utf8_len(text)) == 0) {
			sink_text(out, "\xef\xbf\xbd");
			len = 1;
		} else if (len == 1) {
			escape(out, text.at[0]);
		} else {
			sink_write(out, text.at, len);
		}
		text = span_part(text, len, text.len - len);
	}
	sink_char(out, '"');
}

void json_span(struct json *j, struct span text)
{
	separate(j);
	quote(j->out, text);
}

void json_text(struct json *j, const char *text)
{
	json_span(j, span_text(text));
}

void json_key(struct json *j, const char *key)
{
	json_text(j, key);
	sink_char(j->out, ':');
	j->after_key = true;
}

void json_uint(struct json *j, uint64_t value)
{
	separate(j);
	sink_format(j->out, "%ju", (uintmax_t)value);
}

void json_int(struct json *j, int64_t value)
{
	separate(j);
	sink_format(j->out, "%jd", (intmax_t)value);
}

void json_bool(struct json *j, bool value)
{
	separate(j);
	sink_text(j->out, value ? "true" : "false");
}

void json_null(struct json *j)
{
	separate(j);
	sink_text(j->out, "null");
}

/* SPDX-License-Identifier: MIT */
/* See markup.h: text from outside, one harmless character after the other. */
#include "base/markup.h"

#include <stdbool.h>

#include "base/check.h"
#include "base/sink.h"
#include "base/utf8.h"

enum {
	REPLACEMENT = 0xfffd,
	SPELLED = 8, /* columns of the longest that is common, \u{202e} */
};

#define ELLIPSIS "\xe2\x80\xa6"

/* A character and the bytes it was read from. */
struct rune {
	uint32_t code;
	size_t len;
};

static struct rune next_rune(struct span text)
{
	size_t len = utf8_len(text);
	uint32_t code = len ? utf8_rune(text, len) : REPLACEMENT;

	/* Characters of XML are all but these two and most controls. */
	if (code == 0xfffe || code == 0xffff)
		code = REPLACEMENT;
	return (struct rune){ code, len ? len : 1 };
}

/* Characters that are not seen themselves, but change what is. */
static bool is_spelled_out(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} unseen[] = {
		{ 0, 0x1f },	      /* controls */
		{ 0x7f, 0x9f },	      /* more of them */
		{ 0xad, 0xad },	      /* soft hyphen */
		{ 0x61c, 0x61c },     /* direction */
		{ 0x200b, 0x200f },   /* no width; direction */
		{ 0x2028, 0x202e },   /* line ends; direction */
		{ 0x2060, 0x206f },   /* no width; direction */
		{ 0xfeff, 0xfeff },   /* byte order mark */
		{ 0xfff9, 0xfffb },   /* annotations */
		{ 0xe0000, 0xe007f }, /* tags */
	};

	for (size_t i = 0; i < ARRAY_SIZE(unseen); i++)
		if (code >= unseen[i].first && code <= unseen[i].last)
			return true;
	return false;
}

const char *markup_reference(uint32_t code)
{
	switch (code) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void put_rune(struct sink *out, struct rune r, const uint8_t *bytes)
{
	if (r.code == REPLACEMENT)
		sink_text(out, "\xef\xbf\xbd");
	else if (is_spelled_out(r.code))
		sink_format(out, "\\u{%x}", (unsigned)r.code);
	else
		sink_write(out, bytes, r.len);
}

static struct span behind(struct span text, struct rune r)
{
	return span_part(text, r.len, text.len - r.len);
}

static void put_text(struct sink *out, struct span text, size_t most,
		     bool markup)
{
	for (size_t count = 0; text.len; count++) {
		struct rune r = next_rune(text);
		struct span rest = behind(text, r);
		const char *instead = markup ? markup_reference(r.code) : NULL;

		if (count + 1 >= most && rest.len) {
			sink_text(out, ELLIPSIS);
			return;
		}
		if (instead)
			sink_text(out, instead);
		else
			put_rune(out, r, text.at);
		text = rest;
	}
}

void sink_markup(struct sink *out, struct span text, size_t most)
{
	put_text(out, text, most, true);
}

void sink_visible(struct sink *out, struct span text, size_t most)
{
	put_text(out, text, most, false);
}

static size_t rune_columns(uint32_t code)
{
	if (is_spelled_out(code))
		return SPELLED;
	return code < 0x80 ? 1 : 2;
}

struct span markup_fit(struct span text, size_t columns)
{
	struct span rest = text;

	while (rest.len) {
		struct rune r = next_rune(rest);
		size_t width = rune_columns(r.code);

		if (width > columns)
			break;
		columns -= width;
		rest = behind(rest, r);
	}
	return span_part(text, 0, text.len - rest.len);
}

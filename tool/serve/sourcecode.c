/* SPDX-License-Identifier: MIT */
/* Source and machine code of a function for the page: see sourcecode.h. */
#include "serve/sourcecode.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "base/markup.h"
#include "base/sink.h"
#include "report/linecode.h"
#include "report/listing.h"
#include "report/objsym.h"
#include "report/report.h"
#include "report/reports.h"
#include "serve/sourcefile.h"

enum { LINE_MOST = 2000, GROUPS_MOST = 16 };

struct writer {
	const struct source_request *q;
	struct report_context c;
	struct listing l;
	struct objects objects;
	struct json json;
};

/* An expression that matches this text and nothing else. */
static char *quoted(const char *text, struct arena *arena)
{
	struct sink out = sink_to_memory(arena);

	sink_char(&out, '^');
	for (; *text; text++) {
		if (strchr("\\.+*?()|[]{}^$", *text))
			sink_char(&out, '\\');
		sink_char(&out, *text);
	}
	sink_text(&out, "$");
	sink_char(&out, '\0');
	return out.error ? NULL : out.buf;
}

static void put_text(struct writer *w, struct span text)
{
	struct sink clean = sink_to_memory(w->c.arena);

	/* Tabs are seen, and mean something in source. */
	for (size_t i = 0; i < text.len;) {
		size_t part = i;

		while (part < text.len && text.at[part] != '\t')
			part++;
		sink_visible(&clean, span_part(text, i, part - i), LINE_MOST);
		if (part < text.len)
			sink_char(&clean, '\t');
		i = part + 1;
	}
	json_span(&w->json, sink_bytes(&clean));
}

/* The lines of the text from first to last. */
static void put_lines(struct writer *w, struct span text, int64_t first,
		      int64_t last)
{
	json_key(&w->json, "lines");
	json_open(&w->json, '[');
	for (int64_t line = 1; text.len && line <= last; line++) {
		const uint8_t *end = memchr(text.at, '\n', text.len);
		size_t len = end ? (size_t)(end - text.at) : text.len;

		if (line >= first)
			put_text(w, span_part(text, 0, len));
		len += end != NULL;
		text = span_part(text, len, text.len - len);
	}
	json_close(&w->json, ']');
}

static int put_code(struct writer *w, const struct line_group *g)
{
	line_instruction_vec code = { 0 };
	int r = line_code_find(&code, &w->l, g, &w->objects);

	json_key(&w->json, "code");
	json_open(&w->json, '[');
	for (uint32_t i = 0; i < code.count && r == 0; i++) {
		const struct line_instruction *at = &code.at[i];

		json_open(&w->json, '[');
		json_int(&w->json, at->line);
		json_uint(&w->json, at->address);
		put_text(w, at->text);
		json_close(&w->json, ']');
	}
	json_close(&w->json, ']');
	return r;
}

static int put_group(struct writer *w, const struct line_group *g)
{
	const struct strtab *s = w->c.profile.strings;
	struct span text = { 0 };
	struct error why = { 0 };
	int r = -ENOENT;

	json_open(&w->json, '{');
	json_key(&w->json, "file");
	put_text(w, str_span(s, g->file));
	json_key(&w->json, "first");
	json_int(&w->json, g->first_line > 0 ? g->first_line : 1);
	if (g->file)
		r = sourcefile_read(&text, w->q->source_path,
				    str_text(s, g->file), w->c.arena, &why);
	else
		error_set(&why, r, "its source is not known");
	if (r < 0) {
		json_key(&w->json, "note");
		put_text(w, span_text(why.text));
	}
	put_lines(w, text, g->first_line, g->last_line);
	r = put_code(w, g);
	json_close(&w->json, '}');
	return r;
}

static int put_groups(struct writer *w, struct error *err)
{
	const struct graph_wish wish = { .objects = true };
	struct line_group g;
	uint32_t at = 0;
	int r = graph_view_prepare(&w->l.g, &w->c, &wish, err);

	if (r == 0)
		r = graph_view_trim(&w->l.g, &w->c, &wish, err);
	if (r == 0)
		r = listing_find(&w->l, err);
	if (r < 0)
		return r;
	json_open(&w->json, '{');
	json_key(&w->json, "groups");
	json_open(&w->json, '[');
	for (int i = 0; i < GROUPS_MOST && r == 0; i++) {
		if (!listing_next(&w->l, &at, &g))
			break;
		r = put_group(w, &g);
	}
	json_close(&w->json, ']');
	json_close(&w->json, '}');
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

int sourcecode_write(const struct source_request *q, struct sink *out,
		     struct error *err)
{
	struct arena arena = { 0 };
	struct view view = { 0 };
	struct report_request request = {
		.report = &report_weblist,
		.profile = q->profile,
		.view = &view,
		.argument = quoted(q->function, &arena),
	};
	struct writer w = { .q = q, .json = json_to(out) };
	int r = -ENOMEM;

	view_fill_defaults(&view);
	if (request.argument)
		r = context_make(&w.c, &arena, &request, err);
	w.l.c = &w.c;
	if (r == 0)
		r = put_groups(&w, err);
	objects_release(&w.objects);
	context_release(&w.c);
	arena_release(&arena);
	return r;
}

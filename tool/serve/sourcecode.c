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
#include "base/sort.h"
#include "report/linecode.h"
#include "report/listing.h"
#include "report/objsym.h"
#include "report/report.h"
#include "report/reports.h"
#include "serve/columns.h"
#include "serve/sourcefile.h"

enum {
	LINE_MOST = 2000,
	GROUPS_MOST = 16,
	NOTICEABLE = 1000,  /* this part of everything is */
	CALLEES_COUNT = 10, /* what callees take counts that much less */
};

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

/* A name, as the page has it. */
static void put_name(struct writer *w, const char *key, struct span text)
{
	struct sink clean = sink_to_memory(w->c.arena);

	sink_visible(&clean, text, COLUMNS_TEXT_MOST);
	json_key(&w->json, key);
	json_span(&w->json, sink_bytes(&clean));
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
	put_name(w, "file", str_span(s, g->file));
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

/* The groups of the function that begins at, as an object. */
static int put_function(struct writer *w, uint32_t at)
{
	struct line_group g = { 0 };
	str_id function;
	int r = 0;

	json_open(&w->json, '{');
	if (!listing_next(&w->l, &at, &g))
		return -ENOENT;
	function = g.function;
	put_name(w, "name", str_span(w->c.profile.strings, function));
	json_key(&w->json, "groups");
	json_open(&w->json, '[');
	for (int i = 0; i < GROUPS_MOST && r == 0; i++) {
		r = put_group(w, &g);
		if (!listing_next(&w->l, &at, &g) || g.function != function)
			break;
	}
	json_close(&w->json, ']');
	json_close(&w->json, '}');
	return r;
}

static int put_one(struct writer *w, struct sink *out, struct error *err)
{
	w->json = json_to(out);
	return put_function(w, 0) < 0 ? error_set(err, -ENOMEM, "out of memory")
				      : 0;
}

/* What a function takes itself, or a tenth of what it and its callees do. */
static uint64_t weight_of(const struct line_group *g)
{
	int64_t flat = (int64_t)g->flat, cum = (int64_t)g->cum;
	uint64_t own = (uint64_t)(flat < 0 ? -flat : flat);
	uint64_t all = (uint64_t)(cum < 0 ? -cum : cum) / CALLEES_COUNT;

	return own > all ? own : all;
}

/* Where each function begins, the heaviest first; ends with 0 as its key. */
static struct sort_item *find_heavy(struct writer *w)
{
	struct sort_item *items = ARENA_ARRAY(w->c.arena, struct sort_item,
					      2 * (size_t)w->l.count + 2);
	int64_t total = w->c.total;
	uint64_t least = (uint64_t)(total < 0 ? -total : total) / NOTICEABLE;
	struct line_group g;
	uint32_t count = 0, at = 0, start = 0;
	str_id last = 0;

	for (; items && listing_next(&w->l, &at, &g); start = at) {
		uint64_t weight = weight_of(&g);

		if (g.function != last && weight && weight >= least)
			items[count++] = (struct sort_item){
				.key = UINT64_MAX - weight,
				.id = start,
			};
		last = g.function;
	}
	if (items) {
		sort_items(items, items + w->l.count + 1, count);
		items[count] = (struct sort_item){ 0 };
	}
	return items;
}

/* Whether any line of it could be read. */
static bool has_lines(struct span text)
{
	static const char some[] = "\"lines\":[\"";

	return memmem(text.at, text.len, some, sizeof(some) - 1) != NULL;
}

static int put_heavy(struct writer *w, struct sink *out, struct error *err)
{
	const struct sort_item *at = find_heavy(w);
	size_t left = w->q->most;
	int r = at ? 0 : -ENOMEM;

	for (; r == 0 && at->key; at++) {
		struct sink one = sink_to_memory(w->c.arena);

		w->json = json_to(&one);
		r = put_function(w, at->id);
		sink_char(&one, '\n');
		if (one.used > left || !has_lines(sink_bytes(&one)))
			continue;
		sink_span(out, sink_bytes(&one));
		left -= one.used;
	}
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

static int find_functions(struct writer *w, struct error *err)
{
	const struct graph_wish wish = { .objects = true };
	int r = graph_view_prepare(&w->l.g, &w->c, &wish, err);

	if (r == 0)
		r = graph_view_trim(&w->l.g, &w->c, &wish, err);
	return r < 0 ? r : listing_find(&w->l, err);
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
		.argument = q->function ? quoted(q->function, &arena) : "",
	};
	struct writer w = { .q = q };
	int r = -ENOMEM;

	view_fill_defaults(&view);
	if (request.argument)
		r = context_make(&w.c, &arena, &request, err);
	w.l.c = &w.c;
	if (r == 0)
		r = find_functions(&w, err);
	if (r == 0)
		r = q->function ? put_one(&w, out, err)
				: put_heavy(&w, out, err);
	objects_release(&w.objects);
	context_release(&w.c);
	arena_release(&arena);
	return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * weblist: annotated source as a page, with the machine code of each line
 * behind it.  One file without a script: lines unfold by the browser's own
 * means.  Whatever comes from the profile, the sources and the binaries is
 * hostile text and goes through put_html().
 */
#include <errno.h>

#include "base/error.h"
#include "base/markup.h"
#include "base/sink.h"
#include "profile/number.h"
#include "report/linecode.h"
#include "report/listing.h"
#include "report/objsym.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/source.h"

static const char style[] =
	"body{font:14px system-ui,sans-serif;margin:1em 2em;color:#222;"
	"background:#fff}"
	"h2{font:600 15px ui-monospace,monospace;margin:1.5em 0 .3em}"
	".src{font:13px/1.35 ui-monospace,monospace;white-space:pre;"
	"overflow-x:auto}"
	"summary{list-style:none;cursor:pointer}"
	"summary:hover{background:#e8eefc}"
	".hot{background:#fff3e0}"
	".asm{color:#354;background:#f4f7f4;padding-left:3em}"
	"@media(prefers-color-scheme:dark){"
	"body{color:#ddd;background:#181a1b}summary:hover{background:#223}"
	".hot{background:#3a2a18}.asm{color:#9b9;background:#1e241e}}";

struct weblist {
	struct sink *out;
	struct listing l;
	struct objects objects;
	struct sources sources;
};

static const char *entity(uint8_t c)
{
	/* Control characters mean nothing on a page. */
	return c < ' ' && c != '\t' ? "" : markup_reference(c);
}

static void put_html(struct sink *out, struct span text)
{
	while (text.len) {
		const char *instead = NULL;
		size_t plain = 0;

		while (plain < text.len && !(instead = entity(text.at[plain])))
			plain++;
		sink_write(out, text.at, plain);
		if (instead)
			sink_text(out, instead);
		plain += instead != NULL;
		text = span_part(text, plain, text.len - plain);
	}
}

static void put_values(struct weblist *w, int64_t flat, int64_t cum)
{
	put_right(w->out, span_text(value_or_dot(w->l.c, flat)), 10);
	sink_char(w->out, ' ');
	put_right(w->out, span_text(value_or_dot(w->l.c, cum)), 10);
}

static void put_instructions(struct weblist *w,
			     const struct line_instruction *insn,
			     uint32_t count)
{
	sink_text(w->out, "<div class=asm>");
	for (uint32_t i = 0; i < count; i++) {
		put_values(w, insn[i].flat, insn[i].cum);
		sink_format(w->out,
			    " %10llx: ", (unsigned long long)insn[i].address);
		put_html(w->out, insn[i].text);
		sink_char(w->out, '\n');
	}
	sink_text(w->out, "</div>");
}

/* How many instructions from *at on belong to the line; *at is moved there. */
static uint32_t take_line(const line_instruction_vec *code, int64_t line,
			  uint32_t *at)
{
	uint32_t count = 0;

	while (*at < code->count && code->at[*at].line < line)
		(*at)++;
	while (*at + count < code->count && code->at[*at + count].line == line)
		count++;
	return count;
}

static void put_lines(struct weblist *w, const struct line_group *g,
		      const struct source_file *f,
		      const line_instruction_vec *code)
{
	uint32_t node_at = 0, code_at = 0;

	for (int64_t n = g->first_line; n <= g->last_line && n < f->lines.count;
	     n++) {
		uint64_t sums[2] = { 0, 0 };
		uint32_t count = take_line(code, n, &code_at);

		line_group_sum(&w->l, g, n, &node_at, sums);
		sink_format(w->out, "%s%s>",
			    count ? "<details><summary" : "<div",
			    sums[1] ? " class=hot" : "");
		put_values(w, (int64_t)sums[0], (int64_t)sums[1]);
		sink_format(w->out, " %6lld: ", (long long)n);
		put_html(w->out, f->lines.at[n]);
		sink_text(w->out, count ? "</summary>" : "</div>");
		if (count) {
			put_instructions(w, code->at + code_at, count);
			sink_text(w->out, "</details>");
		}
	}
}

/* where: the source file, or why there is none. */
static void put_heading(struct weblist *w, const struct line_group *g,
			struct span where)
{
	const struct report_context *c = w->l.c;

	sink_text(w->out, "<h2>");
	put_html(w->out, str_span(c->profile.strings, g->function));
	sink_text(w->out, "</h2><p>");
	put_html(w->out, where);
	sink_format(w->out, "<p>%s flat, %s cumulative, %s of the total\n",
		    value_text(c, (int64_t)g->flat),
		    value_text(c, (int64_t)g->cum),
		    skip_spaces(percent_of((int64_t)g->cum, c->total).text));
}

static int put_group(struct weblist *w, const struct line_group *g)
{
	const struct strtab *s = w->l.c->profile.strings;
	line_instruction_vec code = { 0 };
	const struct source_file *f = NULL;
	struct error err = { .text = "no source information" };
	int r;

	if (g->file)
		f = sources_get(&w->sources, g->file, &err);
	put_heading(w, g, f ? str_span(s, g->file) : span_text(err.text));
	if (!f)
		return 0;
	r = line_code_find(&code, &w->l, g, &w->objects);
	if (r == 0) {
		sink_text(w->out, "<div class=src>");
		put_lines(w, g, f, &code);
		sink_text(w->out, "</div>\n");
	}
	return r;
}

static void put_header(struct weblist *w)
{
	struct sink header = sink_to_memory(w->l.c->arena);
	struct span text;

	put_profile_header(&header, w->l.c, "\n");
	for (text = sink_bytes(&header); text.len;
	     text = span_of(text.at + 1, text.len - 1)) {
		if (text.at[0] == '\n')
			sink_char(w->out, '\n');
		else
			put_html(w->out, span_of(text.at, 1));
	}
}

static int put_page(struct weblist *w)
{
	const struct report_context *c = w->l.c;
	struct line_group g;
	uint32_t at = 0;
	int r = 0;

	sink_format(w->out,
		    "<!DOCTYPE html><meta charset=utf-8>"
		    "<meta http-equiv=Content-Security-Policy content=\""
		    "default-src 'none'; style-src 'unsafe-inline'\">"
		    "<title>source</title><style>%s</style><pre>",
		    style);
	put_header(w);
	sink_format(w->out, "\nTotal: %s</pre>\n", value_text(c, c->total));
	while (r == 0 && listing_next(&w->l, &at, &g))
		r = put_group(w, &g);
	return r;
}

static int weblist_write(struct report_context *c, struct sink *out,
			 struct error *err)
{
	struct weblist w = { .out = out, .l = { .c = c, .any_text = true } };
	int r = listing_find(&w.l, err);

	if (r < 0)
		return r;
	r = sources_make(&w.sources, &c->view, c->profile.strings);
	if (r == 0)
		r = put_page(&w);
	sources_release(&w.sources);
	objects_release(&w.objects);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

static void adjust_weblist(struct view *view)
{
	view->trim = false;
	view->granularity = GRANULARITY_ADDRESSES;
	view->noinlines = false;
}

const struct report report_weblist = {
	.name = "weblist",
	.summary = "annotated source as a page, for functions that match REGEX",
	.needs_argument = true,
	.adjust = adjust_weblist,
	.write = weblist_write,
};

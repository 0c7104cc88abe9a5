/* SPDX-License-Identifier: MIT */
/* See servepage.h. */
#include "cmd/servepage.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sink.h"
#include "pprof/verbs.h"
#include "pprof/viewer.h"
#include "serve/columns.h"
#include "term/message.h"
#include "term/output.h"

int page_list_add(struct page_list *pages, const struct profile *p,
		  const struct columns_options *o, struct error *err)
{
	struct sink columns = sink_to_memory(&pages->arena);
	struct sink places = sink_to_memory(&pages->arena);
	struct served_profile *row = VEC_PUSH(&pages->list, &pages->arena);
	int r = -ENOMEM;

	if (row)
		r = columns_write(p, o, &columns, &places, err);
	if (r == 0 && (sink_flush(&columns) < 0 || sink_flush(&places) < 0))
		r = -ENOMEM;
	if (r == -ENOMEM)
		return error_set(err, r, "out of memory");
	if (r == 0)
		*row = (struct served_profile){
			.name = o->name ? o->name : "",
			.profile = p,
			.columns = sink_bytes(&columns),
			.places = sink_bytes(&places),
		};
	return r;
}

/* Whether somebody sits in front of a screen. */
static bool has_screen(void)
{
	return getenv("BROWSER") || getenv("DISPLAY") ||
	       getenv("WAYLAND_DISPLAY");
}

/*
 * Other users see the arguments of programs, and the address has the token in
 * it: so the browser is given a file that nobody else can read.
 */
static void open_browser(struct viewers *v, const char *url)
{
	static const struct verb page = { .extension = "html",
					  .viewer = VIEWER_BROWSER };
	struct sink text = sink_to_memory(&v->arena);
	struct error err;

	sink_format(&text,
		    "<!doctype html><meta charset=utf-8>"
		    "<meta http-equiv=refresh content=\"0; url=%s\">"
		    "<a href=\"%s\">wick</a>\n",
		    url, url);
	if (viewers_show(v, &page, sink_bytes(&text), false, &err) < 0)
		message("%s", err.text);
}

static int run(struct page_server *s, bool browser, struct error *err)
{
	struct viewers viewers = { 0 };
	struct sink *out = output_open(OUTPUT_DATA);
	int r;

	sink_format(out, "%s\n", s->url);
	r = output_close(err);
	if (r < 0)
		return r;
	if (browser && has_screen())
		open_browser(&viewers, s->url);
	r = page_server_run(s, err);
	viewers_release(&viewers);
	return r;
}

int servepage(const struct page_list *pages, const struct serve_options *o,
	      struct error *err)
{
	static struct page_server server; /* too large for the stack */
	const struct page_server_options options = {
		.address = o->address,
		.open_to_all = o->open_to_all,
		.source_path = o->source_path,
		.profiles = pages->list.at,
		.count = pages->list.count,
	};
	int r = page_server_open(&server, &options, err);

	if (r < 0)
		return r;
	r = run(&server, o->browser, err);
	page_server_close(&server);
	return r;
}

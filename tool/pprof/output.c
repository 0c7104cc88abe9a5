/* SPDX-License-Identifier: MIT */
/* See output.h. */
#include "pprof/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "pprof/config.h"
#include "pprof/delivery.h"
#include "pprof/picture.h"
#include "pprof/talk.h"
#include "pprof/verbs.h"
#include "pprof/viewer.h"
#include "report/report.h"

static int make_report(const struct output *o, struct sink *out,
		       struct sink *remarks, struct error *err)
{
	struct view view = config_view(o->config);
	struct report_request request = {
		.report = report_find(o->verb->report),
		.profile = o->profile,
		.view = &view,
		.argument = o->argument,
		.talk = remarks,
		.selections = o->selections,
	};

	if (!request.report)
		return error_set(err, -ENOTSUP, "there is no report '%s' yet",
				 o->verb->report);
	return report_make(&request, out, err);
}

/* A page for a browser can have a script; eog shows the bare picture. */
static bool is_pannable(const struct verb *v)
{
	return !strcmp(v->picture, "svg") &&
	       (!v->viewer || !strcmp(v->viewer, VIEWER_BROWSER));
}

static int draw(const struct output *o, struct arena *arena, struct sink *out,
		struct error *err)
{
	struct sink plain = sink_to_memory(arena);
	struct span graph = sink_bytes(out);
	int r = picture_draw(graph, o->verb->picture, &plain, err);

	if (r < 0)
		return r;
	*out = plain;
	if (!is_pannable(o->verb))
		return 0;
	*out = sink_to_memory(arena);
	picture_make_pannable(sink_bytes(&plain), out);
	return out->error ? error_set(err, out->error, "out of memory") : 0;
}

/* The whole of what another program reads: a picture, a page. */
static int collect(const struct output *o, struct arena *arena,
		   struct sink *out, struct sink *remarks, struct error *err)
{
	int r;

	*out = sink_to_memory(arena);
	r = make_report(o, out, remarks, err);
	if (r == 0 && out->error)
		r = error_set_errno(err, out->error, "cannot keep the report");
	return r == 0 && o->verb->picture ? draw(o, arena, out, err) : r;
}

/* The file that the user has named, or NULL. */
static const char *path_of(const struct output *o)
{
	const char *path = o->config->output;

	return path && *path ? path : NULL;
}

static int show(const struct output *o, struct arena *arena,
		struct sink *remarks, struct error *err)
{
	struct sink out;
	int r = collect(o, arena, &out, remarks, err);

	if (remarks->used)
		talk_text(sink_bytes(remarks));
	return r < 0 ? r
		     : viewers_show(o->viewers, o->verb, sink_bytes(&out),
				    !o->interactive, err);
}

/* Failures to deliver are known to the delivery, which ends with them. */
static int send_drawn(const struct output *o, struct arena *arena,
		      struct delivery *d, struct error *err)
{
	struct sink out;
	int r = collect(o, arena, &out, d->remarks, err);

	if (r == 0)
		(void)delivery_take(d, sink_bytes(&out)); /* see above */
	return r;
}

static int send_written(const struct output *o, struct arena *arena,
			struct delivery *d, struct error *err)
{
	enum { BUFFER = 64 << 10 };
	char *buf = arena_alloc(arena, BUFFER);
	struct sink out = sink_to_function(delivery_take, d, buf, BUFFER);
	int r;

	if (!buf)
		return error_set(err, -ENOMEM, "out of memory");
	r = make_report(o, &out, d->remarks, err);
	if (r == 0)
		(void)sink_flush(&out); /* see above */
	return r;
}

static int deliver(const struct output *o, struct arena *arena,
		   struct sink *remarks, struct error *err)
{
	bool text = !o->verb->extension;
	bool saved = !text && (o->interactive || isatty(STDOUT_FILENO));
	struct delivery d = {
		.path = path_of(o),
		.extension = saved ? o->verb->extension : NULL,
		.paged = text,
		.remarks = remarks,
	};
	int r = o->verb->picture ? send_drawn(o, arena, &d, err)
				 : send_written(o, arena, &d, err);

	return delivery_end(&d, r, err);
}

int output_make(const struct output *o, struct error *err)
{
	struct arena arena = { 0 };
	struct sink remarks = sink_to_memory(&arena);
	bool shown = o->verb->viewer && !path_of(o);
	int r = shown ? show(o, &arena, &remarks, err)
		      : deliver(o, &arena, &remarks, err);

	arena_release(&arena);
	return r;
}

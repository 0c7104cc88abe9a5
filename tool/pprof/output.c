/* SPDX-License-Identifier: MIT */
/* See output.h. */
#include "pprof/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "pprof/config.h"
#include "pprof/picture.h"
#include "pprof/savefile.h"
#include "pprof/talk.h"
#include "pprof/verbs.h"
#include "pprof/viewer.h"
#include "report/report.h"
#include "term/pager.h"

/* Remarks come before the report, and also when it fails. */
static int make_report(const struct output *o, struct arena *arena,
		       struct sink *out, struct error *err)
{
	struct view view = config_view(o->config);
	struct sink remarks = sink_to_memory(arena);
	struct report_request request = {
		.report = report_find(o->verb->report),
		.profile = o->profile,
		.view = &view,
		.argument = o->argument,
		.talk = &remarks,
		.memo = o->memo,
	};
	int r;

	if (!request.report)
		return error_set(err, -ENOTSUP, "there is no report '%s' yet",
				 o->verb->report);
	r = report_make(&request, out, err);
	if (remarks.used)
		talk_text(sink_bytes(&remarks));
	if (r == 0 && out->error)
		r = error_set_errno(err, out->error, "cannot keep the report");
	return r;
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

static int print(struct span text, bool paged, struct error *err)
{
	char buf[1];
	struct sink out = sink_to_fd(STDOUT_FILENO, buf, sizeof(buf));
	int r;

	if (paged && pager_show(text))
		return 0;
	sink_span(&out, text);
	r = sink_flush(&out);
	if (r == 0 || r == -EPIPE)
		return 0;
	return error_set_errno(err, r, "cannot write standard output");
}

/* Bytes that would do a terminal no good go to a file. */
static int save_numbered(const struct output *o, struct span report,
			 struct error *err)
{
	char suffix[32];
	struct numbered file = {
		.folder = "",
		.prefix = "profile",
		.suffix = suffix,
		.mode = 0666,
	};
	int r;

	fmt_text(suffix, sizeof(suffix), ".%s", o->verb->extension);
	r = numbered_reserve(&file, err);
	if (r < 0)
		return r;
	talk("Generating report in %s", file.path);
	r = savefile_write(file.path, report, err);
	if (r < 0)
		unlink(file.path);
	return r;
}

static int deliver(const struct output *o, struct span report,
		   struct error *err)
{
	const char *path = o->config->output;

	if (path && *path) {
		talk("Generating report in %s", path);
		return savefile_write(path, report, err);
	}
	if (o->verb->viewer)
		return viewers_show(o->viewers, o->verb, report,
				    !o->interactive, err);
	if (!o->verb->extension)
		return print(report, true, err);
	if (o->interactive || isatty(STDOUT_FILENO))
		return save_numbered(o, report, err);
	return print(report, false, err);
}

int output_make(const struct output *o, struct error *err)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	int r = make_report(o, &arena, &out, err);

	if (r == 0 && o->verb->picture)
		r = draw(o, &arena, &out, err);
	if (r == 0)
		r = deliver(o, sink_bytes(&out), err);
	arena_release(&arena);
	return r;
}

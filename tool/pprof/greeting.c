/* SPDX-License-Identifier: MIT */
/* See greeting.h. */
#include "pprof/greeting.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "pprof/config.h"
#include "pprof/talk.h"
#include "profile/profile.h"
#include "report/graphview.h"
#include "report/report.h"

/* The options that choose a value; filters would only be remarked upon. */
static struct view unfiltered(const struct config *config)
{
	struct view chosen = config_view(config);
	struct view v = view_default;

	v.sample_index = chosen.sample_index;
	v.mean = chosen.mean;
	v.divide_by = chosen.divide_by;
	v.unit = chosen.unit;
	return v;
}

/* Says text as pprof's prompt does: it ends a line, be it empty. */
static void say(struct sink *out, struct span text)
{
	sink_span(out, text);
	if (!text.len || text.at[text.len - 1] != '\n')
		sink_char(out, '\n');
}

static void describe(const struct profile *p, const struct report_context *c,
		     struct sink *out)
{
	struct sink header = sink_to_memory(c->arena);

	put_profile_header(&header, c, "\n");
	say(out, sink_bytes(&header));
	if (!c->total && p->types.count > 1)
		sink_text(out,
			  "No samples were found with the default sample value "
			  "type.\n"
			  "Try \"sample_index\" command to analyze different "
			  "sample values.\n");
}

void greet(const struct profile *p, const struct config *config)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct view view = unfiltered(config);
	const struct report_request request = {
		.report = report_find("raw"),
		.profile = p,
		.view = &view,
		.talk = &out,
	};
	struct report_context c;

	/* A profile that it can not describe may still be worth asking. */
	if (request.report && context_make(&c, &arena, &request, NULL) == 0)
		describe(p, &c, &out);
	if (request.report)
		context_release(&c);
	sink_text(&out,
		  "Entering interactive mode (type \"help\" for commands, "
		  "\"o\" for options)\n");
	talk_text(sink_bytes(&out));
	arena_release(&arena);
}

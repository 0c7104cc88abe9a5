/* SPDX-License-Identifier: MIT */
/* wick report: what a profile says, for a person at a terminal. */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/viewopts.h"
#include "profile/profile.h"
#include "report/human.h"
#include "report/open.h"
#include "report/report.h"
#include "report/reports.h"
#include "term/colour.h"
#include "term/output.h"
#include "term/width.h"

static const char *const granularities[] = {
	"functions", "filefunctions", "files", "lines", "addresses", NULL,
};

static struct {
	struct view view;
	struct open_options open;
	unsigned count;
	unsigned granularity;
	bool all;
	bool json;
} opt;

static const struct opt opts[] = {
	OPT_GROUP("What is shown"),
	OPT_STRING('t', "type", &opt.view.sample_index, "TYPE",
		   "report this sample type, by name or number"),
	OPT_CHOICE('g', "by", &opt.granularity, "WHAT", granularities,
		   "what counts as one entry"),
	OPT_FLAG('c', "cum", &opt.view.sort_cum,
		 "order by what was spent in an entry and all it called"),
	OPT_UINT('n', "count", &opt.count, "N", "show at most N entries"),
	OPT_FLAG('a', "all", &opt.all, "show every entry, however small"),
	OPT_STRING('u', "unit", &opt.view.unit, "UNIT",
		   "show values in UNIT instead of the one that fits"),
	OPT_FLAG(0, "no-inlines", &opt.view.noinlines,
		 "count inlined code for the function it was inlined into"),
	OPT_FLAG(0, "intel", &opt.view.intel_syntax,
		 "show instructions in Intel's syntax"),
	OPT_VIEW_FILTERS(opt.view),
	OPT_GROUP("Files"),
	OPT_FILE('b', "base", &opt.open.base, "FILE",
		 "subtract the profile in FILE"),
	OPT_VALUE('s', "source-path", &opt.view.source_path, "DIR[:DIR...]",
		  ARG_DIRECTORY, "where source files are"),
	OPT_STRING(0, "trim-path", &opt.view.trim_path, "PREFIX[:PREFIX...]",
		   "cut these from the names of files"),
	OPT_GROUP("Other"),
	OPT_FLAG(0, "json", &opt.json, "print JSON (top and summary)"),
	OPT_END,
};

/* The reports of this command; those that pprof has too look the same. */
static const struct {
	const struct report *report;
	bool json;
} reports[] = {
	{ .report = &report_human_top, .json = true },
	{ .report = &report_human_tree },
	{ .report = &report_peek },
	{ .report = &report_list },
	{ .report = &report_disasm },
	{ .report = &report_traces },
	{ .report = &report_tags },
	{ .report = &report_raw },
	{ .report = &report_summary, .json = true },
};

static int find_report(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(reports); i++)
		if (!strcmp(reports[i].report->name, name))
			return (int)i;
	return -1;
}

/* Takes the name of a report and its argument off the operands. */
static int take_report(int *argc, char ***argv, struct report_request *q,
		       struct error *err)
{
	int which = *argc > 1 ? find_report(**argv) : -1;

	if (which >= 0) {
		(*argv)++;
		(*argc)--;
	} else {
		which = 0;
	}
	q->report = reports[which].report;
	if (opt.json && !reports[which].json)
		return usage_error(err, "'%s' has no form in JSON",
				   q->report->name);
	if (!q->report->needs_argument)
		return 0;
	if (*argc < 2)
		return usage_error(err,
				   "'%s' needs a regular expression and a file",
				   q->report->name);
	q->argument = **argv;
	(*argv)++;
	(*argc)--;
	return 0;
}

static void finish_view(void)
{
	view_fill_defaults(&opt.view);
	opt.view.granularity = (enum granularity)opt.granularity;
	if (opt.count)
		opt.view.nodecount = (int)opt.count;
	opt.view.trim = !opt.all;
}

static int make(struct report_request *q, char **files, struct error *err)
{
	struct arena arena = { 0 };
	struct profile p;
	char buf[512];
	struct sink talk = sink_to_fd(STDERR_FILENO, buf, sizeof(buf));
	struct sink *out;
	int r;

	q->talk = &talk;
	opt.open.talk = &talk;
	r = profile_open(&p, &arena, files, &opt.open, err);
	(void)sink_flush(&talk); /* remarks are a courtesy */
	if (r == 0) {
		q->profile = &p;
		out = output_open(opt.json ? OUTPUT_DATA : OUTPUT_PAGED);
		r = report_make(q, out, err);
		(void)sink_flush(&talk); /* as above */
		r = output_finish(r, err);
	}
	arena_release(&arena);
	return r;
}

static int report_run(int argc, char **argv, struct error *err)
{
	struct report_look look = {
		.palette = colour_palette(STDOUT_FILENO),
		.width = term_width(STDOUT_FILENO),
		.json = opt.json,
	};
	struct report_request q = { .view = &opt.view, .look = &look };
	int r;

	if (!argc)
		return usage_error(err, "which profile?");
	r = take_report(&argc, &argv, &q, err);
	if (r)
		return r;
	finish_view();
	return make(&q, argv, err);
}

const struct command cmd_report = {
	.name = "report",
	.summary = "show what a profile says, as text",
	.usage = "wick report [options] [REPORT] [REGEX] FILE ...",
	.about =
		"Reads profiles of any format that wick knows, adds them up and shows a "
		"report. REPORT is one of\n"
		"\n"
		"  top      what most was spent in (the usual one)\n"
		"  tree     who called what, from the top down\n"
		"  peek     callers and callees of what matches REGEX\n"
		"  list     the source of functions that match REGEX, line by line\n"
		"  disasm   their machine code, instruction by instruction\n"
		"  traces   every sample with its stack\n"
		"  tags     what was spent under each label\n"
		"  raw      everything in the profile\n"
		"  summary  what the profile holds\n",
	.examples = "wick report cpu.pb.gz\n"
		    "wick report tree --focus 'json|parse' cpu.pb.gz\n"
		    "wick report list handle_request cpu.pb.gz\n",
	.opts = opts,
	.operands = ARG_FILE,
	.run = report_run,
};

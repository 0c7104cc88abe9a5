/* SPDX-License-Identifier: MIT */
/* wick diff: what changed between two profiles. */
#include <unistd.h>

#include "base/arena.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "profile/profile.h"
#include "report/compare.h"
#include "report/open.h"
#include "report/report.h"
#include "term/colour.h"
#include "term/output.h"
#include "term/width.h"

static struct {
	struct view view;
	unsigned count;
	bool all;
	bool absolute;
	bool json;
} opt = {
	.count = 25,
};

static const struct opt opts[] = {
	OPT_STRING('t', "type", &opt.view.sample_index, "TYPE",
		   "compare this sample type, by name or number"),
	OPT_FLAG('c', "cum", &opt.view.sort_cum,
		 "compare what was spent in a function and all it called"),
	OPT_FLAG(0, "absolute", &opt.absolute,
		 "compare values as they are, not shares of the total"),
	OPT_STRING('f', "focus", &opt.view.focus, "REGEX",
		   "only stacks with a matching frame"),
	OPT_STRING('i', "ignore", &opt.view.ignore, "REGEX",
		   "only stacks without a matching frame"),
	OPT_UINT('n', "count", &opt.count, "N", "show at most N functions"),
	OPT_FLAG('a', "all", &opt.all,
		 "also show changes that may be chance, and all of them"),
	OPT_FLAG(0, "json", &opt.json, "print JSON"),
	OPT_END,
};

static int diff_run(int argc, char **argv, struct error *err)
{
	const struct report_look look = {
		.palette = colour_palette(STDOUT_FILENO),
		.width = term_width(STDOUT_FILENO),
		.json = opt.json,
	};
	struct arena arena = { 0 };
	struct profile before, after;
	struct compare_request q = {
		.before = &before,
		.after = &after,
		.view = &opt.view,
		.look = &look,
		.most = opt.all ? 0 : opt.count,
		.all = opt.all,
		.absolute = opt.absolute,
	};
	const struct open_options open = { 0 };
	int r;

	if (argc != 2)
		return usage_error(err, "diff takes two profiles: OLD and NEW");
	view_fill_defaults(&opt.view);
	r = profile_open(&before, &arena, (char *[]){ argv[0], NULL }, &open,
			 err);
	if (r == 0)
		r = profile_open(&after, &arena, (char *[]){ argv[1], NULL },
				 &open, err);
	if (r == 0) {
		struct sink *out = output_open(opt.json ? OUTPUT_DATA
							: OUTPUT_PAGED);

		r = output_finish(compare_write(&q, out, err), err);
	}
	arena_release(&arena);
	return r;
}

const struct command cmd_diff = {
	.name = "diff",
	.summary = "show what changed between two profiles",
	.usage = "wick diff [options] OLD NEW",
	.about =
		"Compares two profiles of any format, function by function. Unless "
		"--absolute is given their totals are made equal first, so that a longer "
		"recording is not a change. A change that the number of samples can not "
		"tell from chance is left out.",
	.examples = "wick diff before.pb.gz after.pb.gz\n"
		    "wick diff --cum --focus=parse old.wick new.wick\n",
	.opts = opts,
	.operands = ARG_FILE,
	.run = diff_run,
};

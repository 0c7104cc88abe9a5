/* SPDX-License-Identifier: MIT */
/* wick flame: a profile as a flame graph. */
#include "export/flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/viewopts.h"
#include "export/pair.h"
#include "format/folded.h"
#include "pprof/savefile.h"
#include "profile/profile.h"
#include "report/open.h"
#include "report/view.h"
#include "term/message.h"
#include "term/output.h"

static struct {
	struct view view;
	struct flame_options flame;
	const char *output;
	bool html;
	bool folded;
	bool program; /* "--": what follows is to be run */
} opt = {
	.flame.min_width = 0.1,
};

static int set_min_width(const char *value, struct error *err)
{
	char *end;
	double pixels = strtod(value, &end);

	if (end == value || *end || !(pixels >= 0) || pixels > 1000)
		return error_set(err, -EINVAL,
				 "'%s' is no number of pixels from 0 to 1000",
				 value);
	opt.flame.min_width = pixels;
	return 0;
}

static const struct opt opts[] = {
	OPT_GROUP("What is written"),
	OPT_FILE('o', "output", &opt.output, "FILE",
		 "write to FILE ('-': standard output) instead of flame.svg"),
	OPT_FLAG(0, "html", &opt.html, "write a page instead of a picture"),
	OPT_FLAG(0, "folded", &opt.folded,
		 "print the stacks as text instead (a;b;c 12)"),
	OPT_FLAG('d', "diff", &opt.flame.compare,
		 "compare two profiles: red has grown, blue has shrunk"),
	OPT_GROUP("How it looks"),
	OPT_FLAG(0, "icicle", &opt.flame.icicle, "put the root at the top"),
	OPT_FLAG('r', "reverse", &opt.flame.reverse,
		 "begin with the functions that ran, callers above them"),
	OPT_FLAG(0, "per-thread", &opt.flame.per_thread,
		 "give each thread a box of its own"),
	OPT_STRING(0, "title", &opt.flame.title, "TEXT",
		   "the title, instead of what was measured"),
	OPT_STRING(0, "subtitle", &opt.flame.subtitle, "TEXT",
		   "the line below it"),
	OPT_STRING(0, "notes", &opt.flame.notes, "TEXT",
		   "a line below the picture"),
	OPT_CHOICE(0, "palette", &opt.flame.palette, "NAME",
		   flame_palette_names, "colours"),
	OPT_CALL(0, "min-width", set_min_width, "PIXELS",
		 "merge boxes narrower than this (0.1)"),
	OPT_UINT(0, "width", &opt.flame.width, "PIXELS",
		 "the width, instead of the window's"),
	OPT_STRING('t', "type", &opt.view.sample_index, "TYPE",
		   "draw this sample type, by name or number"),
	OPT_FLAG(0, "no-inlines", &opt.view.noinlines,
		 "count inlined code for the function it was inlined into"),
	OPT_VIEW_FILTERS(opt.view),
	OPT_END,
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* What is written, and where if it is not said. */
static void choose_form(void)
{
	if (opt.folded)
		opt.flame.form = FLAME_FOLDED;
	else if (opt.html || (opt.output && ends_with(opt.output, ".html")))
		opt.flame.form = FLAME_HTML;
	if (!opt.output)
		opt.output = opt.folded			    ? "-"
			     : opt.flame.form == FLAME_HTML ? "flame.html"
							    : "flame.svg";
}

/* The profile that --diff is about: two files, or one with two counts. */
static int open_pair(struct profile *p, struct arena *arena, char **files,
		     const struct open_options *open, struct error *err)
{
	struct profile before, after;
	int r;

	if (!files[1]) {
		r = profile_open(p, arena, files, open, err);
		if (r == 0 && !folded_is_pair(p))
			r = error_set(err, -EINVAL,
				      "--diff needs a second profile");
		return r;
	}
	r = profile_open(&before, arena, (char *[]){ files[0], NULL }, open,
			 err);
	if (r == 0)
		r = profile_open(&after, arena, (char *[]){ files[1], NULL },
				 open, err);
	if (r == 0)
		r = profile_pair(p, arena,
				 (struct profile *[]){ &before, &after },
				 opt.view.sample_index, err);
	return r;
}

static int write_bytes(struct span bytes, struct error *err)
{
	struct sink *out;
	int r;

	if (!strcmp(opt.output, "-")) {
		out = output_open(OUTPUT_DATA);
		sink_span(out, bytes);
		return output_close(err);
	}
	r = savefile_write(opt.output, bytes, err);
	if (r == 0 && isatty(STDERR_FILENO))
		message("wrote '%s'; open it in a browser", opt.output);
	return r;
}

static int make(char **files, struct error *err)
{
	struct arena arena = { 0 };
	struct arena whole = { 0 };
	struct sink out = sink_to_memory(&whole);
	char buf[512];
	struct sink talk = sink_to_fd(STDERR_FILENO, buf, sizeof(buf));
	const struct open_options open = { .talk = &talk };
	struct profile p;
	int r;

	if (opt.flame.compare)
		r = open_pair(&p, &arena, files, &open, err);
	else
		r = profile_open(&p, &arena, files, &open, err);
	if (r == 0)
		r = flame_write(&p, &opt.view, &opt.flame, &out, &talk, err);
	(void)sink_flush(&talk); /* remarks are a courtesy */
	if (r == 0 && sink_flush(&out) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = write_bytes(sink_bytes(&out), err);
	arena_release(&arena);
	arena_release(&whole);
	return r;
}

static int flame_run(int argc, char **argv, struct error *err)
{
	if (opt.program)
		return error_set(
			err, -ENOTSUP,
			"wick can not run a program to measure it yet; give a profile");
	if (!argc)
		return usage_error(err, "which profile?");
	if (opt.flame.compare && argc > 2)
		return usage_error(err,
				   "--diff takes two profiles: OLD and NEW");
	if (opt.flame.width &&
	    (opt.flame.width < 100 || opt.flame.width > 100000))
		return usage_error(err, "a width is from 100 to 100000 pixels");
	view_fill_defaults(&opt.view);
	choose_form();
	return make(argv, err);
}

const struct command cmd_flame = {
	.name = "flame",
	.summary = "draw a profile as a flame graph",
	.usage = "wick flame [options] FILE ...",
	.about =
		"Reads profiles of any format that wick knows, adds them up and draws a "
		"flame graph: a box is a function, on top of the one that called it, and as "
		"wide as what was spent there. The picture is one file that any browser "
		"opens; it can be searched and zoomed.",
	.examples = "wick flame cpu.pb.gz\n"
		    "wick flame --icicle --focus=parse -o parse.html cpu.wick\n"
		    "wick flame --diff before.pb.gz after.pb.gz\n"
		    "stackcollapse-perf.pl out.perf | wick flame -\n",
	.opts = opts,
	.operands = ARG_FILE,
	.dashes = &opt.program,
	.run = flame_run,
};

/* SPDX-License-Identifier: MIT */
/* wick flame: a profile, or what a program does, as a flame graph. */
#include "export/flame.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/viewopts.h"
#include "cmd/whom.h"
#include "collect/cgroup.h"
#include "collect/collect.h"
#include "export/pair.h"
#include "format/folded.h"
#include "inside/ladder.h"
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
	struct opt_list pids;
	unsigned hertz;
	const char *seconds;
	const char *recording;
} opt = {
	.flame.min_width = 0.1,
	.hertz = 499,
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
	OPT_GROUP("What is recorded, if not read from a file"),
	OPT_LIST('p', "pid", &opt.pids, "PID[,PID...]", ARG_PID,
		 "these processes, and what they start"),
	OPT_UINT('F', "frequency", &opt.hertz, "HZ",
		 "HZ samples a second of each busy processor (499)"),
	OPT_STRING('s', "seconds", &opt.seconds, "N", "for N seconds"),
	OPT_FILE(0, "recording", &opt.recording, "FILE",
		 "keep the recording as FILE"),
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

/* A file without a name for a recording that nobody keeps. */
static int open_nameless(char path[64], struct error *err)
{
	int fd = memfd_create("wick", MFD_CLOEXEC);

	if (fd < 0)
		return error_set_errno(err, -errno, "cannot record in memory");
	fmt_text(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

/* Records to path.  Returns as a command does; ret_status is the program's. */
static int record(char *path, char **argv, int *ret_status, struct error *err)
{
	struct pid_list list = { 0 };
	struct collect_options o = {
		.argv = opt.program ? argv : NULL,
		.hertz = opt.hertz,
		.output = path,
		.quiet = true,
	};
	struct collect_result result = { 0 };
	int r = whom_pids(&list, &opt.pids, err);

	if (r == 0)
		r = whom_seconds(opt.seconds, "seconds", &o.seconds_ms, err);
	if (r == 0) {
		o.pids = list.pids.at;
		o.pid_count = list.pids.count;
		o.who = opt.pids.count ? opt.pids.at[0] : NULL;
		r = ladder_collect(&o, &result, err);
	}
	arena_release(&list.arena);
	*ret_status = result.status;
	return r;
}

/* Records and draws; the program's status becomes ours. */
static int record_and_make(char **argv, struct error *err)
{
	char name[64];
	char *path = (char *)opt.recording;
	int status = 0;
	int fd = -1;
	int r;

	if (!path) {
		fd = open_nameless(name, err);
		if (fd < 0)
			return fd;
		path = name;
	}
	r = record(path, argv, &status, err);
	if (r == 0)
		r = make((char *[]){ path, NULL }, err);
	if (fd >= 0)
		close(fd);
	return r ? r : status;
}

static int check_options(int argc, struct error *err)
{
	bool live = opt.program || opt.pids.count;

	if (opt.program && opt.pids.count)
		return usage_error(err, "record a program, or what runs");
	if (!argc && !opt.pids.count)
		return usage_error(err, opt.program ? "which program?"
						    : "which profile?");
	if (argc && opt.pids.count)
		return usage_error(err, "draw a profile, or what runs");
	if (!live && (opt.recording || opt.seconds))
		return usage_error(err, "a profile is not recorded anew");
	if (!opt.hertz)
		return usage_error(err, "zero is not enough");
	if (opt.flame.compare && (live || argc > 2))
		return usage_error(err,
				   "--diff takes two profiles: OLD and NEW");
	if (opt.flame.width &&
	    (opt.flame.width < 100 || opt.flame.width > 100000))
		return usage_error(err, "a width is from 100 to 100000 pixels");
	return 0;
}

static int flame_run(int argc, char **argv, struct error *err)
{
	int r = check_options(argc, err);

	if (r)
		return r;
	view_fill_defaults(&opt.view);
	choose_form();
	if (opt.program || opt.pids.count)
		return record_and_make(argv, err);
	return make(argv, err);
}

const struct command cmd_flame = {
	.name = "flame",
	.summary = "draw a profile, or what a program does, as a flame graph",
	.usage =
		"wick flame [options] FILE ...|-p PID|-- PROGRAM [ARGUMENT...]",
	.about =
		"Reads profiles of any format that wick knows and adds them up, or records "
		"a program as 'wick record' does, and draws a flame graph: a box is a function, on top of the one that called it, and as "
		"wide as what was spent there. The picture is one file that any browser "
		"opens; it can be searched and zoomed.",
	.examples = "wick flame -- ./server --port 80\n"
		    "wick flame cpu.pb.gz\n"
		    "wick flame --icicle --focus=parse -o parse.html cpu.wick\n"
		    "wick flame --diff before.pb.gz after.pb.gz\n"
		    "stackcollapse-perf.pl out.perf | wick flame -\n",
	.opts = opts,
	.operands = ARG_FILE,
	.dashes = &opt.program,
	.run = flame_run,
};

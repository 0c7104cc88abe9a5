/* SPDX-License-Identifier: MIT */
/* wick record: run a program, or attach to some, and record where CPU goes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fmt.h"
#include "cmd/command.h"
#include "cmd/whom.h"
#include "collect/cgroup.h"
#include "collect/collect.h"
#include "inside/ladder.h"

#define DEFAULT_OUTPUT "wick-out.wick"

enum { PATH_SIZE = 4096 };

static struct {
	const char *output;
	unsigned hertz;
	struct opt_list pids;
	bool all;
	const char *cgroup;
	const char *container;
	const char *seconds;
	const char *delay;
	unsigned repeat;
	bool agent;
	bool no_symbols;
	bool quiet;
} opt = {
	.hertz = 499,
	.repeat = 1,
};

static const struct opt opts[] = {
	OPT_GROUP("Whom"),
	OPT_LIST(
		'p', "pid", &opt.pids, "PID[,PID...]", ARG_PID,
		"record these processes, what they have started and will start"),
	OPT_FLAG('a', "all", &opt.all, "record the whole machine"),
	OPT_STRING('G', "cgroup", &opt.cgroup, "PATH",
		   "record the processes of a control group"),
	OPT_STRING(0, "container", &opt.container, "ID|NAME",
		   "record the processes of a container"),
	OPT_GROUP("How"),
	OPT_UINT('F', "frequency", &opt.hertz, "HZ",
		 "take HZ samples a second of each busy processor (499)"),
	OPT_STRING('s', "seconds", &opt.seconds, "N",
		   "stop after N seconds; a program goes on unrecorded"),
	OPT_STRING(0, "delay", &opt.delay, "N", "begin after N seconds"),
	OPT_UINT(0, "repeat", &opt.repeat, "N",
		 "record N times, to a file each: FILE.1.wick and so on"),
	OPT_GROUP("Result"),
	OPT_FILE('o', "output", &opt.output, "FILE",
		 "write the recording to FILE (" DEFAULT_OUTPUT ")"),
	OPT_FLAG(0, "agent", &opt.agent,
		 "record from inside programs, without perf events"),
	OPT_FLAG(0, "no-symbols", &opt.no_symbols,
		 "leave finding names for later"),
	OPT_FLAG('q', "quiet", &opt.quiet, "print no summary and no progress"),
	OPT_END,
};

/* The processes that are meant, whichever way they are named. */
static int find_pids(struct pid_list *list, struct error *err)
{
	int r = whom_pids(list, &opt.pids, err);

	if (r == 0 && opt.cgroup)
		r = cgroup_find(list, opt.cgroup, err);
	if (r == 0 && opt.container)
		r = container_find(list, opt.container, err);
	return r;
}

static int check_target(const struct collect_options *o, struct error *err)
{
	bool running = opt.pids.count || opt.cgroup || opt.container;
	unsigned targets = (o->argv != NULL) + running + o->whole;

	if (!targets)
		return usage_error(err,
				   "say what to record: a program, -p or -a");
	if (targets > 1)
		return usage_error(err,
				   "record a program, what runs, or all: one "
				   "of them");
	if (opt.agent && o->whole)
		return usage_error(err, "--agent is for a program, or -p");
	if (!opt.hertz || !opt.repeat)
		return usage_error(err, "zero is not enough");
	return 0;
}

/* The file's name with a number before its ending. */
static const char *numbered(const char *output, unsigned number,
			    char buf[PATH_SIZE])
{
	const char *dot = strrchr(output, '.');

	if (opt.repeat == 1)
		return output;
	if (!dot || strchr(dot, '/'))
		dot = output + strlen(output);
	fmt_text(buf, PATH_SIZE, "%.*s.%u%s", (int)(dot - output), output,
		 number, dot);
	return buf;
}

/* As perf does: a recording that nobody named is not lost to the next. */
static void keep_old(const char *output)
{
	char old[PATH_SIZE + 8];
	struct stat st;

	if (opt.output || stat(output, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	fmt_text(old, sizeof(old), "%s.old", output);
	(void)rename(output, old); /* then it is overwritten */
}

static int record_all(struct collect_options *o, struct error *err)
{
	const char *output = opt.output ? opt.output : DEFAULT_OUTPUT;
	struct collect_result result = { 0 };
	int r = 0;

	for (unsigned i = 1; i <= opt.repeat && r == 0; i++) {
		char path[PATH_SIZE];

		o->output = numbered(output, i, path);
		keep_old(o->output);
		r = ladder_collect(o, &result, err);
		if (result.interrupted)
			break;
	}
	return r < 0 && !result.status ? r : result.status;
}

/* What is recorded, if it is not a command line. */
static const char *who(void)
{
	if (opt.all)
		return "the whole machine";
	if (opt.container)
		return opt.container;
	if (opt.cgroup)
		return opt.cgroup;
	return opt.pids.count ? opt.pids.at[0] : NULL;
}

static int record_run(int argc, char **argv, struct error *err)
{
	struct pid_list list = { 0 };
	struct collect_options o = {
		.argv = argc ? argv : NULL,
		.whole = opt.all,
		.hertz = opt.hertz,
		.inside = opt.agent,
		.no_symbols = opt.no_symbols,
		.quiet = opt.quiet,
	};
	int r = whom_seconds(opt.seconds, "seconds", &o.seconds_ms, err);

	if (r == 0)
		r = whom_seconds(opt.delay, "delay", &o.delay_ms, err);
	if (r == 0)
		r = check_target(&o, err);
	if (r == 0)
		r = find_pids(&list, err);
	if (r == 0) {
		o.pids = list.pids.at;
		o.pid_count = list.pids.count;
		o.find = opt.cgroup || opt.container ? find_pids : NULL;
		o.who = who();
		r = record_all(&o, err);
	}
	arena_release(&list.arena);
	return r;
}

const struct command cmd_record = {
	.name = "record",
	.summary = "record where the CPU time of programs goes",
	.usage = "wick record [options] [--] PROGRAM [ARGUMENT...]",
	.about = "Runs a program, or watches what runs already, takes samples\n"
		 "of its call stacks and writes them to a recording, names\n"
		 "included. Ends with the program, after --seconds, or with\n"
		 "^C, and then says what was recorded.",
	.examples = "wick record ./server --port 80\n"
		    "wick record -F 99 -s 30 -p 4711\n"
		    "wick record -a -s 10 -o machine.wick",
	.opts = opts,
	.operands = ARG_PROGRAM,
	.stop_at_operand = true,
	.run = record_run,
};

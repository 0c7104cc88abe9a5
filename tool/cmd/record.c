/* SPDX-License-Identifier: MIT */
/* wick record: run a program, or attach to some, and record where CPU goes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/fmt.h"
#include "cmd/command.h"
#include "collect/collect.h"

#define DEFAULT_OUTPUT "wick-out.wick"

enum { PIDS_MAX = 4096, PATH_SIZE = 4096 };

static struct {
	const char *output;
	unsigned hertz;
	struct opt_list pids;
	bool all;
	const char *seconds;
	const char *delay;
	unsigned repeat;
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
	OPT_FLAG(0, "no-symbols", &opt.no_symbols,
		 "leave finding names for later"),
	OPT_FLAG('q', "quiet", &opt.quiet, "print no summary and no progress"),
	OPT_END,
};

static int parse_seconds(const char *text, const char *name, uint64_t *ret_ms,
			 struct error *err)
{
	char *end;
	double value;

	*ret_ms = 0;
	if (!text)
		return 0;
	value = strtod(text, &end);
	if (end == text || *end || !(value > 0) || value > 1e9)
		return usage_error(err, "--%s: '%s' is not a number of seconds",
				   name, text);
	*ret_ms = (uint64_t)(value * 1000) + 1;
	return 0;
}

static int parse_pids(pid_t pids[PIDS_MAX], unsigned *ret_count,
		      struct error *err)
{
	unsigned count = 0;

	for (unsigned i = 0; i < opt.pids.count; i++) {
		const char *at = opt.pids.at[i];
		char *end;

		do {
			long pid = strtol(at, &end, 10);

			if (end == at || (*end && *end != ',') || pid <= 0 ||
			    count == PIDS_MAX)
				return usage_error(err,
						   "'%s' is not a process id",
						   opt.pids.at[i]);
			pids[count++] = (pid_t)pid;
			at = end + 1;
		} while (*end);
	}
	*ret_count = count;
	return 0;
}

static int check_target(const struct collect_options *o, struct error *err)
{
	unsigned targets = (o->argv != NULL) + (o->pid_count > 0) + o->whole;

	if (!targets)
		return usage_error(err,
				   "say what to record: a program, -p or -a");
	if (targets > 1)
		return usage_error(err,
				   "record a program, -p or -a: one of them");
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
		r = collect(o, &result, err);
		if (result.interrupted)
			break;
	}
	return r < 0 ? r : result.status;
}

static int record_run(int argc, char **argv, struct error *err)
{
	static pid_t pids[PIDS_MAX];
	struct collect_options o = {
		.argv = argc ? argv : NULL,
		.whole = opt.all,
		.hertz = opt.hertz,
		.no_symbols = opt.no_symbols,
		.quiet = opt.quiet,
	};
	int r = parse_pids(pids, &o.pid_count, err);

	if (r == 0)
		r = parse_seconds(opt.seconds, "seconds", &o.seconds_ms, err);
	if (r == 0)
		r = parse_seconds(opt.delay, "delay", &o.delay_ms, err);
	if (r == 0)
		r = check_target(&o, err);
	if (r)
		return r;
	o.pids = o.pid_count ? pids : NULL;
	if (o.pids)
		o.who = "processes";
	if (o.whole)
		o.who = "the whole machine";
	return record_all(&o, err);
}

const struct command cmd_record = {
	.name = "record",
	.summary = "record where the CPU time of programs goes",
	.usage = "wick record [options] [--] PROGRAM [ARGUMENT...]\n"
		 "wick record [options] -p PID[,PID...] | -a",
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

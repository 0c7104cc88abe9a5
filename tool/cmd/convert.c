/* SPDX-License-Identifier: MIT */
/* wick convert: a profile in another format. */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "format/format.h"
#include "pprof/savefile.h"
#include "profile/profile.h"
#include "report/load.h"
#include "report/team.h"
#include "term/output.h"

static struct {
	const char *to;
	bool list;
} opt;

static const struct opt opts[] = {
	OPT_STRING('t', "to", &opt.to, "FORMAT",
		   "write this format, whatever OUT is called"),
	OPT_FLAG('l', "list", &opt.list, "list the formats and stop"),
	OPT_END,
};

static int list_formats(struct error *err)
{
	struct sink *out = output_open(OUTPUT_DATA);
	const struct format *f;

	for (unsigned i = 0; (f = format_at(i)); i++)
		sink_format(out, "%-10s %s%s  %s\n", f->name,
			    f->read ? "read " : "     ",
			    f->write ? "write" : "     ", f->summary);
	return output_close(err);
}

static const struct format *choose_format(const char *path, struct error *err)
{
	const struct format *f = opt.to ? format_find(opt.to)
					: format_for_path(path);

	if (!f && opt.to)
		error_set(err, -EINVAL,
			  "unknown format '%s'; see wick convert --list",
			  opt.to);
	else if (!f)
		error_set(err, -EINVAL,
			  "the name '%s' tells no format; give one with --to",
			  path);
	else if (!f->write)
		error_set(err, -EINVAL, "wick reads '%s' but does not write it",
			  f->name);
	return f && f->write ? f : NULL;
}

static int write_to(const char *path, struct span bytes, struct error *err)
{
	struct sink *out;

	if (strcmp(path, "-") != 0)
		return savefile_write(path, bytes, err);
	out = output_open(OUTPUT_DATA);
	sink_span(out, bytes);
	return output_close(err);
}

static int convert_run(int argc, char **argv, struct error *err)
{
	struct arena arena = { 0 };
	struct arena whole = { 0 };
	struct sink out = sink_to_memory(&whole);
	const struct format *f;
	struct profile p;
	int r;

	if (opt.list)
		return list_formats(err);
	if (argc != 2)
		return usage_error(err, "convert takes two files: IN and OUT");
	f = choose_format(argv[1], err);
	if (!f)
		return EXIT_USAGE;
	r = profile_load(&p, &arena, argv[0], err);
	if (r == 0)
		r = f->write(&p, team_for(p.sample_count), &out, err);
	if (r == 0 && sink_flush(&out) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = write_to(argv[1], sink_bytes(&out), err);
	arena_release(&arena);
	arena_release(&whole);
	return r;
}

const struct command cmd_convert = {
	.name = "convert",
	.summary = "write a profile in another format",
	.usage = "wick convert [options] IN OUT",
	.about =
		"Reads the profile IN, of any format that wick knows, and writes it to OUT "
		"in the format that OUT's name ends in, or that --to names. Either may be "
		"'-', for standard input or output. OUT is whole or not there.",
	.examples = "wick convert gperf.prof cpu.pb.gz\n"
		    "wick convert cpu.pb.gz cpu.wick\n"
		    "wick convert --to=pprof cpu.wick - | pprof -top -\n",
	.opts = opts,
	.operands = ARG_FILE,
	.run = convert_run,
};

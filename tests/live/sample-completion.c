/* SPDX-License-Identifier: MIT */
/*
 * Prints a completion script for commands that use every kind of option and
 * operand, more than wick's own do: what test-completion.py completes with.
 *
 * usage: sample-completion bash|zsh|fish
 */
#include <string.h>
#include <unistd.h>

#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/shell.h"

static struct {
	bool flag;
	unsigned number;
	const char *text;
	struct opt_list list;
} opt;

static const char *const orders[] = { "flat", "cum", NULL };

static const struct opt gnu_opts[] = {
	OPT_GROUP("A group"),
	OPT_FLAG('f', "flag", &opt.flag,
		 "it's [a] flag: 100% \\ \"quoted\" $x"),
	OPT_UINT('n', "number", &opt.number, "N", "a number"),
	OPT_FILE('o', "output", &opt.text, "FILE", "a file"),
	OPT_DIRECTORY(0, "folder", &opt.text, "DIR", "a directory"),
	OPT_CHOICE(0, "sort", &opt.number, "ORDER", orders, "a choice"),
	OPT_LIST('p', "pid", &opt.list, "PID", ARG_PID, "a process"),
	OPT_END,
};

static const struct opt go_opts[] = {
	OPT_ROW("top", NULL, ARG_NONE, "a flag"),
	OPT_ROW("focus", "REGEX", ARG_TEXT, "text"),
	OPT_ROW("output", "FILE", ARG_FILE, "a file"),
	OPT_END,
};

static const struct command gnu = {
	.name = "gnu",
	.summary = "isn't: [it] nice",
	.opts = gnu_opts,
	.operands = ARG_FILE,
};

static const struct command go = {
	.name = "go",
	.summary = "as Go does",
	.opts = go_opts,
	.operands = ARG_FILE,
	.style = OPT_STYLE_GO,
};

static const struct command *const sample[] = { &gnu, &go, NULL };

static const struct shell *const shells[] = { &shell_bash, &shell_zsh,
					      &shell_fish, NULL };

int main(int argc, char **argv)
{
	char buf[4096];
	struct sink out = sink_to_fd(STDOUT_FILENO, buf, sizeof(buf));

	for (const struct shell *const *s = shells; argc == 2 && *s; s++)
		if (!strcmp((*s)->name, argv[1]))
			(*s)->write(&out, sample);
	return sink_flush(&out) < 0 || !out.total;
}

/* SPDX-License-Identifier: MIT */
/* wick completion: print a completion script, made from the option tables. */
#include <stddef.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/shell.h"
#include "term/output.h"

static const struct shell *const shells[] = {
	&shell_bash,
	&shell_zsh,
	&shell_fish,
	NULL,
};

static const char *const shell_names[] = { "bash", "zsh", "fish", NULL };

static int completion_run(int argc, char **argv, struct error *err)
{
	if (argc != 1)
		return usage_error(err, "name one shell: bash, zsh or fish");

	for (const struct shell *const *s = shells; *s; s++) {
		if (!strcmp((*s)->name, argv[0])) {
			(*s)->write(output_open(OUTPUT_DATA), commands);
			return output_close(err);
		}
	}
	return usage_error(err, "no completion for '%s', only bash, zsh, fish",
			   argv[0]);
}

const struct command cmd_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.usage = "wick completion SHELL",
	.about = "SHELL is bash, zsh or fish.  'make install' puts the scripts "
		 "where the shells look for them.",
	.examples = "  source <(wick completion bash)\n"
		    "  wick completion fish | source",
	.operands = ARG_CHOICE,
	.choices = shell_names,
	.run = completion_run,
};

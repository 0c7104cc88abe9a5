/* SPDX-License-Identifier: MIT */
/*
 * What a command is.  To add one:
 *
 *   1. write tool/cmd/<name>.c, with one const struct command cmd_<name>,
 *   2. list the file in tool/cmd/meson.build,
 *   3. declare cmd_<name> below and put it in the array in commands.c,
 *   4. write man/wick-<name>.1 and list it in man/meson.build,
 *   5. add a golden case, tests/golden/<name>-*.cmd, and a line in NEWS.md.
 *
 * "make check" fails until all five are there; docs/howto/add-a-command.md
 * shows each step.
 */
#ifndef WICK_CMD_COMMAND_H
#define WICK_CMD_COMMAND_H

#include <errno.h>
#include <stdbool.h>

#include "base/error.h"
#include "cmd/opt.h"

/* The exit status of a command line that makes no sense. */
#define EXIT_USAGE 2

struct command {
	const char *name;
	const char *summary;	    /* one line, lower case, no full stop */
	const char *usage;	    /* "wick report [options] FILE" */
	const char *about;	    /* paragraphs for --help; may be NULL */
	const char *examples;	    /* lines for --help; may be NULL */
	const struct opt *opts;	    /* ends with OPT_END; NULL: none */
	enum arg_kind operands;	    /* what they name */
	const char *const *choices; /* of ARG_CHOICE operands */
	bool stop_at_operand;	    /* options after it are another program's */
	bool *dashes; /* set if "--" stood there; NULL: no matter */

	/*
	 * OPT_STYLE_GO: run() gets every argument as it was typed, save that
	 * -h, -help or --help as the first is answered before.
	 */
	enum opt_style style;

	/*
	 * argv holds argc operands and ends with NULL.  Returns 0, or an exit
	 * status above 0, or a negative errno, which exits with 1.  A text
	 * in err is printed; after usage_error() with a pointer to --help.
	 */
	int (*run)(int argc, char **argv, struct error *err);
};

/* All commands, in the order of --help; ends with NULL. */
extern const struct command *const commands[];

extern const struct command cmd_completion;
extern const struct command cmd_convert;
extern const struct command cmd_diff;
extern const struct command cmd_doctor;
extern const struct command cmd_flame;
extern const struct command cmd_help;
extern const struct command cmd_pprof;
extern const struct command cmd_record;
extern const struct command cmd_report;
extern const struct command cmd_symbolize;
extern const struct command cmd_version;
extern const struct command cmd_view;

/*
 * Returns the command called name, or NULL with err set, naming the command
 * that was probably meant.
 */
const struct command *command_find(const char *name, struct error *err);

/* Sets err's text and is EXIT_USAGE: "return usage_error(err, ...);" */
#define usage_error(err_, ...) \
	(error_set((err_), -EINVAL, __VA_ARGS__), EXIT_USAGE)

#endif /* WICK_CMD_COMMAND_H */

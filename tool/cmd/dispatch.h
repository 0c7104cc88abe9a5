/* SPDX-License-Identifier: MIT */
/*
 * From a command line to a command: options that stand before its name, those
 * that every command takes, and --help.
 */
#ifndef WICK_CMD_DISPATCH_H
#define WICK_CMD_DISPATCH_H

#include "cmd/opt.h"

struct command;
struct error;

/* Options before the command's name only, and those taken everywhere. */
extern const struct opt wick_opts[];
extern const struct opt common_opts[];

/*
 * Runs the command that argv (without the program's name, ended with NULL)
 * asks for.  Returns what its run() did; 0 with the text printed for --help
 * and --version; EXIT_USAGE with err set if the line makes no sense.
 * *ret_command is the command found, or NULL.
 */
int dispatch(char **argv, const struct command **ret_command,
	     struct error *err);

#endif /* WICK_CMD_DISPATCH_H */

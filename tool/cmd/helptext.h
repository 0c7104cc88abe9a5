/* SPDX-License-Identifier: MIT */
/* The text of --help, made from the tables of commands and options. */
#ifndef WICK_CMD_HELPTEXT_H
#define WICK_CMD_HELPTEXT_H

#include "cmd/opt.h"

struct command;
struct error;
struct palette;
struct sink;

/* What --help looks like here. */
struct helptext {
	struct sink *out; /* borrowed */
	const struct palette *palette;
	unsigned width; /* columns */
};

/* Writes the help of the command, or of wick itself if c is NULL. */
void helptext_write(const struct helptext *h, const struct command *c);

/* As above, to standard output.  Returns 0 or a negative errno, err set. */
int helptext_print(const struct command *c, struct error *err);

/* Writes it to standard error, for a command line that makes no sense. */
void helptext_complain(const struct command *c);

#endif /* WICK_CMD_HELPTEXT_H */

/* SPDX-License-Identifier: MIT */
/* See colour.h.  The eight colours that every terminal lets its user choose. */
#include "term/colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "term/pager.h"

static const struct palette plain = {
	.bold = "",
	.dim = "",
	.red = "",
	.green = "",
	.yellow = "",
	.blue = "",
	.magenta = "",
	.cyan = "",
	.reset = "",
};

static const struct palette ansi = {
	.bold = "\033[1m",
	.dim = "\033[2m",
	.red = "\033[31m",
	.green = "\033[32m",
	.yellow = "\033[33m",
	.blue = "\033[34m",
	.magenta = "\033[35m",
	.cyan = "\033[36m",
	.reset = "\033[0m",
};

static enum colour_when chosen = COLOUR_AUTO;

void colour_choose(enum colour_when when)
{
	chosen = when;
}

static bool terminal_wants_colour(void)
{
	const char *refuse = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (refuse && refuse[0])
		return false;
	return term && strcmp(term, "dumb") != 0;
}

static bool is_terminal(int fd)
{
	return isatty(fd) || (fd == STDOUT_FILENO && pager_is_on());
}

const struct palette *colour_palette(int fd)
{
	if (chosen == COLOUR_NEVER)
		return &plain;
	if (chosen == COLOUR_ALWAYS)
		return &ansi;
	return is_terminal(fd) && terminal_wants_colour() ? &ansi : &plain;
}

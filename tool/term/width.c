/* SPDX-License-Identifier: MIT */
/* See width.h. */
#include "term/width.h"

#include <stdlib.h>
#include <sys/ioctl.h>

#define WIDTH_MIN     20
#define WIDTH_DEFAULT 80

static unsigned from_environment(void)
{
	const char *text = getenv("COLUMNS");
	char *end;
	unsigned long n;

	if (!text || text[0] < '0' || text[0] > '9')
		return 0;
	n = strtoul(text, &end, 10);
	return *end || n > 10000 ? 0 : (unsigned)n;
}

static unsigned from_terminal(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

unsigned term_width(int fd)
{
	unsigned width = from_environment();

	if (!width)
		width = from_terminal(fd);
	if (!width)
		width = WIDTH_DEFAULT;
	return width < WIDTH_MIN ? WIDTH_MIN : width;
}

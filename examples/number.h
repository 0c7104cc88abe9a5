/* SPDX-License-Identifier: MIT */
#ifndef NUMBER_H
#define NUMBER_H

#include <err.h>
#include <stdlib.h>

/* A number from 1 to most that was given as text; ends the program if not. */
static inline unsigned take_number(const char *text, unsigned most)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end || !n || n > most)
		errx(2, "'%s' is not a number from 1 to %u", text, most);
	return (unsigned)n;
}

#endif /* NUMBER_H */

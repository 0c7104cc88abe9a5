/* SPDX-License-Identifier: MIT */
/*
 * Colour on terminals, and nowhere else unless asked for.  Text must make
 * sense without it: colour repeats what the words already say.
 */
#ifndef WICK_TERM_COLOUR_H
#define WICK_TERM_COLOUR_H

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/*
 * What to write before a piece of text, and reset after it.  Without colour
 * all are empty, so writers need no condition:
 *
 *	sink_format(out, "%s%s%s", p->bold, name, p->reset);
 */
struct palette {
	const char *bold;
	const char *dim;
	const char *red;
	const char *green;
	const char *yellow;
	const char *blue;
	const char *magenta;
	const char *cyan;
	const char *reset;
};

/* Decides for later calls of colour_palette(); COLOUR_AUTO until then. */
void colour_choose(enum colour_when when);

/*
 * The palette for text written to fd.  COLOUR_AUTO: colour if fd is a terminal
 * (or a pager on one), NO_COLOR is not set and TERM is not "dumb".
 */
const struct palette *colour_palette(int fd);

#endif /* WICK_TERM_COLOUR_H */

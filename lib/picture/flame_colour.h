/* SPDX-License-Identifier: MIT */
/*
 * The colours of flame graphs.  A name has the same colour in every picture.
 * All fills are light enough for dark text, on any background.
 */
#ifndef WICK_PICTURE_FLAME_COLOUR_H
#define WICK_PICTURE_FLAME_COLOUR_H

#include "base/span.h"

/* What kind of code a box stands for. */
enum flame_kind {
	FLAME_PROGRAM,
	FLAME_LIBRARY,
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_INLINED,
	FLAME_UNNAMED, /* only the binary is known, or not even that */
	FLAME_KINDS,
};

/* Red, green and blue, 0 to 255. */
struct colour {
	unsigned char part[3];
};

/* The colour of a box by its palette (an index), kind and name. */
struct colour flame_colour(unsigned palette, enum flame_kind kind,
			   struct span name);

/*
 * The colour of a box that was before and is now so many parts of the whole:
 * red has grown, blue has shrunk.
 */
struct colour flame_change_colour(double before, double now);

/* Of boxes that stand for no function. */
struct colour flame_neutral_colour(void);

#endif /* WICK_PICTURE_FLAME_COLOUR_H */

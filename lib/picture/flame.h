/* SPDX-License-Identifier: MIT */
/*
 * Flame graphs: a profile as a picture, in which a box is a function on a path
 * of calls and its width what was spent there.
 */
#ifndef WICK_PICTURE_FLAME_H
#define WICK_PICTURE_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "profile/node.h"

struct arena;
struct error;
struct loss;
struct profile;
struct sink;

enum flame_form {
	FLAME_SVG,    /* a picture that answers, one file, nothing fetched */
	FLAME_HTML,   /* the same on a page */
	FLAME_FOLDED, /* the stacks as text, for other programs */
};

/* How the picture looks.  Zeroed is the usual one, except for min_width. */
struct flame_options {
	enum flame_form form;
	bool icicle;	  /* the root at the top */
	bool reverse;	  /* from the functions that ran to their callers */
	bool per_thread;  /* each thread a box of its own; see export/flame.h */
	bool compare;	  /* the profile is one of profile_pair() */
	unsigned palette; /* index into flame_palette_names */
	unsigned width;	  /* pixels; 0: as wide as the window */
	double min_width; /* pixels; narrower boxes are merged */
	const char *title; /* NULL: what was measured */
	const char *subtitle;
	const char *notes; /* a line below the picture */
};

enum { FLAME_WIDTH = 1200 }; /* of pictures that fit their window */

/* The palettes by name, the usual one first; ends with NULL. */
extern const char *const flame_palette_names[];

/* What is drawn.  Everything is borrowed. */
struct flame_subject {
	const struct profile *profile; /* no more than what is to be seen */
	const struct loss *loss;       /* what is missing from it */
	uint32_t type;		       /* which value of its samples */
	const char *type_name;	       /* "cpu", or "mean_cpu" */
	const char *unit;	       /* of the values */
	struct node_options nodes;     /* what makes a box */
	struct span title;	       /* unless the options have one */
	struct span subtitle;
};

/*
 * Writes the flame graph of a subject.  What it needs meanwhile comes from
 * arena.  Returns 0, -ENODATA if there is nothing to draw, or another negative
 * errno, with a sentence.
 */
int flame_draw(const struct flame_subject *subject,
	       const struct flame_options *options, struct sink *out,
	       struct arena *arena, struct error *err);

/*
 * What a page has to allow for the script in these pictures, as a
 * Content-Security-Policy: for programs that serve them.
 */
extern const char flame_policy[];

#endif /* WICK_PICTURE_FLAME_H */

/* SPDX-License-Identifier: MIT */
/*
 * Flame graphs: a profile as a picture, in which a box is a function on a path
 * of calls and its width what was spent there.
 */
#ifndef WICK_EXPORT_FLAME_H
#define WICK_EXPORT_FLAME_H

#include <stdbool.h>

struct error;
struct profile;
struct sink;
struct view;

enum flame_form {
	FLAME_SVG,    /* a picture that answers, one file, nothing fetched */
	FLAME_HTML,   /* the same on a page */
	FLAME_FOLDED, /* the stacks as text, for other programs */
};

/* How the picture looks.  Zeroed is the usual one, except for min_width. */
struct flame_options {
	enum flame_form form;
	bool icicle;	   /* the root at the top */
	bool reverse;	   /* from the functions that ran to their callers */
	bool per_thread;   /* each thread a box of its own */
	bool compare;	   /* the profile is one of profile_pair() */
	unsigned palette;  /* index into flame_palette_names */
	unsigned width;	   /* pixels; 0: as wide as the window */
	double min_width;  /* pixels; narrower boxes are merged */
	const char *title; /* NULL: what was measured */
	const char *subtitle;
	const char *notes; /* a line below the picture */
};

enum { FLAME_WIDTH = 1200 }; /* of pictures that fit their window */

/* The palettes by name, the usual one first; ends with NULL. */
extern const char *const flame_palette_names[];

/*
 * Writes the flame graph of a profile as the view filters it: the one way to
 * get one, whether the profile was read or has just been recorded.  Remarks go
 * to talk, if it is not NULL.  Returns 0, -ENODATA if nothing is left to draw,
 * or another negative errno, with a sentence.
 */
int flame_write(const struct profile *p, const struct view *view,
		const struct flame_options *options, struct sink *out,
		struct sink *talk, struct error *err);

#endif /* WICK_EXPORT_FLAME_H */

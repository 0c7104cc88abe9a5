/* SPDX-License-Identifier: MIT */
/* A flame graph that is ready to be drawn; internal to lib/picture. */
#ifndef WICK_PICTURE_FLAME_PICTURE_H
#define WICK_PICTURE_FLAME_PICTURE_H

#include "base/span.h"
#include "picture/flame_colour.h"
#include "profile/boxtree.h"

struct arena;
struct flame_options;
struct flame_subject;
struct sink;

/* Everything is borrowed. */
struct flame_picture {
	const struct flame_options *options;
	const struct flame_subject *subject;
	struct arena *arena;
	struct boxtree tree;
	const struct span *name;     /* by node */
	const enum flame_kind *kind; /* by node */
};

enum {
	FLAME_NAME_MAX = 300,  /* characters of a name that are kept */
	FLAME_BOX_BYTES = 160, /* a box without its name, at most */
	FLAME_BUDGET =
		1800000, /* bytes of all boxes: the file is to be < 2 MB */
};

/* Writes the picture, alone or on a page; how far it got the sink knows. */
void flame_picture_write(const struct flame_picture *f, struct sink *out);

/* Writes a name as it will be in the picture. */
void flame_put_name(struct sink *out, struct span name);

#endif /* WICK_PICTURE_FLAME_PICTURE_H */

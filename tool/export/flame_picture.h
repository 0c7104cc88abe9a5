/* SPDX-License-Identifier: MIT */
/* A flame graph that is ready to be drawn; internal to tool/export. */
#ifndef WICK_EXPORT_FLAME_PICTURE_H
#define WICK_EXPORT_FLAME_PICTURE_H

#include "base/span.h"
#include "export/flame_colour.h"
#include "profile/boxtree.h"

struct flame_options;
struct report_context;
struct sink;

/* Everything is borrowed. */
struct flame_picture {
	const struct flame_options *options;
	const struct report_context *context;
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

#endif /* WICK_EXPORT_FLAME_PICTURE_H */

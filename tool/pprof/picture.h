/* SPDX-License-Identifier: MIT */
/* Call graphs as pictures, drawn by Graphviz's dot. */
#ifndef WICK_PPROF_PICTURE_H
#define WICK_PPROF_PICTURE_H

#include "base/span.h"

struct error;
struct sink;

/*
 * Draws a graph in dot's language in the format that "dot -T" calls so.
 * Returns 0 or a negative errno with err set.
 */
int picture_draw(struct span graph, const char *format, struct sink *out,
		 struct error *err);

/*
 * Writes dot's SVG so that it fills its window and can be panned and zoomed
 * with mouse, fingers and keys.
 */
void picture_make_pannable(struct span svg, struct sink *out);

#endif /* WICK_PPROF_PICTURE_H */

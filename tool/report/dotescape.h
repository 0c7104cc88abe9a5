/* SPDX-License-Identifier: MIT */
/* Texts between quotes in graphviz source. */
#ifndef WICK_REPORT_DOTESCAPE_H
#define WICK_REPORT_DOTESCAPE_H

#include "base/span.h"

struct arena;
struct sink;

/* Backslashes and quotes are escaped; a new line is a left-justified one. */
void dot_put_escaped(struct sink *out, struct span text);

/* A text as dot_put_escaped() writes it: itself, or a copy in arena. */
struct span dot_escaped(struct span text, struct arena *arena);

#endif /* WICK_REPORT_DOTESCAPE_H */

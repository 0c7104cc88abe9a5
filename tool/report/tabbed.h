/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_TABBED_H
#define WICK_REPORT_TABBED_H

#include "base/span.h"

struct arena;
struct sink;

/*
 * Writes lines of text with spaces in place of tabs, as Go's tab writer does
 * that aligns to the right.  What ends in a tab is a cell; cells of lines that
 * follow each other are a column, as wide as the widest and one space more.  A
 * form feed ends a line and all columns.  The arena is for the work only.
 * Returns 0 or -ENOMEM.
 */
int put_tabbed(struct sink *out, struct span text, struct arena *arena);

#endif /* WICK_REPORT_TABBED_H */

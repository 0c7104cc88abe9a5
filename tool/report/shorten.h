/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_SHORTEN_H
#define WICK_REPORT_SHORTEN_H

#include "base/span.h"

struct arena;

/*
 * A function's name as fits a box of a picture: Go without the import path,
 * Java and C++ with the class but without packages and namespaces.  Part of
 * name, or in arena's memory.
 */
struct span shorten_function(struct span name, struct arena *arena);

#endif /* WICK_REPORT_SHORTEN_H */

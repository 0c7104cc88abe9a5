/* SPDX-License-Identifier: MIT */
/* File names as reports show them. */
#ifndef WICK_REPORT_PATH_H
#define WICK_REPORT_PATH_H

#include <stdbool.h>

#include "profile/profile.h"
#include "report/view.h"

/*
 * The file names to show, by function_id: trimmed as the view asks if trimmed
 * is set, and always without "." and "..".  NULL: out of memory.
 */
const str_id *display_files(const struct profile *p, const struct view *view,
			    bool trimmed, struct arena *arena);

/* path less the prefixes that the view's trim_path or source_path imply. */
struct span path_trim(struct span path, const struct view *view);

/*
 * The shortest path of the same meaning, by text alone, in arena's memory;
 * "." for an empty one.
 */
struct span path_clean(struct span path, struct arena *arena);

#endif /* WICK_REPORT_PATH_H */

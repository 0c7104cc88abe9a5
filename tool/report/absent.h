/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_ABSENT_H
#define WICK_REPORT_ABSENT_H

#include <stdbool.h>

#include "base/strtab.h"

/*
 * Folders that are not there, for who looks for thousands of files below them:
 * profiles come from other machines.  It is true for as long as a report is
 * written, no longer.
 */
struct absent_folders {
	struct strtab folders;
};

/* None is known yet.  The memory is the arena's. */
void absent_init(struct absent_folders *a, struct arena *arena);

/* Whether a file is known not to be there. */
bool absent_below(const struct absent_folders *a, const char *path);

/*
 * After a file was not there: remembers the topmost folder above it that is not
 * there either, if there is one and room for it.
 */
void absent_note(struct absent_folders *a, const char *path);

#endif /* WICK_REPORT_ABSENT_H */

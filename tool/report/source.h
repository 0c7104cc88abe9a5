/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_SOURCE_H
#define WICK_REPORT_SOURCE_H

#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct error;
struct view;

/* One source file, mapped, with its lines found. */
struct source_file {
	struct span text;
	VEC(struct span) lines; /* [0] unused: lines count from 1 */
};

/*
 * Opens a source file by the name that a profile has for it: absolute names as
 * they are, others below each folder of the view's source_path (the current
 * folder if unset) and of its parents.  The lines are in arena's memory; the
 * text is mapped until source_release().  Returns 0 or a negative errno with a
 * sentence.
 */
int source_open(struct source_file *f, const char *name,
		const struct view *view, struct arena *arena,
		struct error *err);
void source_release(struct source_file *f);

#endif /* WICK_REPORT_SOURCE_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_VIEWER_H
#define WICK_PPROF_VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"

struct error;
struct verb;

/*
 * Programs that show reports, and the files they were given.  Zeroed, there
 * are none.
 */
struct viewers {
	struct arena arena;
	VEC(const char *) files;
	int64_t last_start; /* clock_ms() */
};

/*
 * Puts the report into a temporary file and starts a program that shows it:
 * the verb's, or the first of the browsers that is there.  With wait, stays
 * until it has ended.  Returns 0 or a negative errno with err set.
 */
int viewers_show(struct viewers *v, const struct verb *verb, struct span report,
		 bool wait, struct error *err);

/*
 * Removes the files; but not sooner than a second after the last was shown, for
 * a program that only tells another one to open it.
 */
void viewers_release(struct viewers *v);

#endif /* WICK_PPROF_VIEWER_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_DELIVERY_H
#define WICK_PPROF_DELIVERY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "pprof/savefile.h"
#include "term/pager.h"

/*
 * A text on its way to where it goes: a file, the pager or standard output.
 * The first few megabytes are held back until more come or the text is whole,
 * so one that fails early leaves no trace.  What comes after them is handed on
 * as it comes, so memory does not depend on how much there is.  A file is there
 * whole or not at all in any case.
 *
 * The caller fills in the first group and zeroes the rest.
 */
struct delivery {
	const char *path;      /* the file; NULL: none is asked for */
	const char *extension; /* of a numbered file; NULL: it is printed */
	bool paged;	       /* when printed */
	struct sink *remarks;  /* for the user, said before the text */

	struct arena arena;
	struct sink held;
	bool begun; /* nothing is held back any more */
	int failed; /* a negative errno; err says why */
	struct error err;
	int fd; /* where the text goes */
	bool in_file;
	bool in_pager;
	struct savefile file;
	struct pager_pipe pager;
	struct numbered numbered;
};

/* A sink's function: the next bytes of the text.  context is the delivery. */
int delivery_take(void *context, struct span bytes);

/*
 * Ends a text that was made with the result r: delivers what was held back, or
 * drops it if r is a failure, and says what remarks are left.  Returns r if
 * that is a failure, or else 0 or a negative errno with err set.  A reader that
 * has gone away is no failure.
 */
int delivery_end(struct delivery *d, int r, struct error *err);

#endif /* WICK_PPROF_DELIVERY_H */

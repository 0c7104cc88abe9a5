/* SPDX-License-Identifier: MIT */
#ifndef WICK_SERVE_COLUMNS_H
#define WICK_SERVE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct profile;
struct sink;

/* Longer texts are cut: nobody reads them, and a page has to show them. */
enum { COLUMNS_TEXT_MOST = 4096 };

/* How a profile is put into columns.  Zeroed is good for a page's server. */
struct columns_options {
	const char *name;   /* of the file, for people; or NULL */
	bool planes;	    /* for a file that will be compressed */
	bool compare;	    /* the types are before and after: see pair.h */
	uint64_t counts[2]; /* then: of how many samples each is */
};

/*
 * Writes everything that the page needs of a profile, as docs/design/page.md
 * lays it out: strings, functions, the merged call tree, samples, labels, and
 * what is known about the recording.  All text is made harmless to look at, so
 * nothing of it can be read back as the profile had it.  places, if not NULL,
 * gets what is needed to show source as well, as a file of its own.  A pure
 * function of its arguments.  Returns 0 or a negative errno with a sentence;
 * failures of out show when it is flushed.
 */
int columns_write(const struct profile *p, const struct columns_options *o,
		  struct sink *out, struct sink *places, struct error *err);

#endif /* WICK_SERVE_COLUMNS_H */

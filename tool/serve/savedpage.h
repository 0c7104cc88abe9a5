/* SPDX-License-Identifier: MIT */
#ifndef WICK_SERVE_SAVEDPAGE_H
#define WICK_SERVE_SAVEDPAGE_H

#include "base/span.h"

struct error;
struct sink;

/* One profile of a saved page: what columns_write() wrote, in planes. */
struct saved_profile {
	const char *name; /* for people */
	struct span data;
	struct span places;  /* of columns_write(), or nothing */
	struct span sources; /* of sourcecode_write(), or nothing */
};

/* More places are not worth looking at: they will not fit. */
enum { SAVEDPAGE_PLACES_MOST = 8 << 20 };

/*
 * Writes the page with everything in it, as one file that opens without a
 * server.  It forbids itself every request and every script but its own.
 * Sources are in it if that leaves it small: they may take 400 kB, or half of
 * what the profile takes, and must not make it larger than 15 MB.
 * Returns 0 or a negative errno with a sentence; failures of out show when it
 * is flushed.
 */
int savedpage_write(const struct saved_profile *profiles, unsigned count,
		    struct sink *out, struct error *err);

#endif /* WICK_SERVE_SAVEDPAGE_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_FORMAT_H
#define WICK_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct arena;
struct error;
struct profile;
struct sink;
struct workers;

/*
 * A format that profiles are kept in.  To add one: write lib/format/<name>.c,
 * list its row in formats.c, add a fuzz target and corpus for its reader.
 * Readers get the whole input, already decompressed, and treat it as hostile.
 */
struct format {
	const char *name;	/* as in "wick convert --to=<name>" */
	const char *extensions; /* space-separated, the usual one first */
	const char *summary;

	/* Whether data looks like this format, judged by its first bytes. */
	bool (*detect)(struct span data);
	/*
	 * Fills p, which profile_init() made.  Returns 0, -ENOTSUP if data is
	 * not of this format after all (the next format is asked), or another
	 * negative errno with a sentence that does not name the file.  With
	 * -ENOTSUP the sentence is empty, or what is odd about data, for the
	 * case that no other format knows it either.  On failure the caller
	 * drops p.  NULL: can not be read.
	 */
	int (*read)(struct profile *p, struct span data, struct error *err);
	/*
	 * As read, for data that nobody needs afterwards: it may drop pages
	 * (pages.h) as it goes, unless it returns -ENOTSUP, so that a large
	 * profile is not in memory twice.  NULL: read is called.
	 */
	int (*consume)(struct profile *p, struct span data, struct error *err);
	/*
	 * Returns 0 or a negative errno with a sentence.  workers are lent for
	 * the time of the call and change nothing but that time; NULL: none to
	 * spare.  NULL: not written.
	 */
	int (*write)(const struct profile *p, const struct workers *workers,
		     struct sink *out, struct error *err);
};

/* The formats by name or by a file name's extension; NULL if unknown. */
const struct format *format_find(const char *name);
const struct format *format_for_path(const char *path);

/* The i-th format, NULL after the last. */
const struct format *format_at(unsigned i);

/*
 * Reads a profile of any known format, compressed or not, into p.  Returns 0
 * or a negative errno with a sentence that says what is wrong or, if data is
 * no profile, what it looks like instead.  At most limit bytes are produced by
 * decompression.
 */
int format_read(struct profile *p, struct span data, uint64_t limit,
		struct error *err);

/*
 * As format_read(), for data from mmap(2) that nobody needs afterwards: its
 * pages may be gone when this returns.
 */
int format_consume(struct profile *p, struct span data, uint64_t limit,
		   struct error *err);

#endif /* WICK_FORMAT_FORMAT_H */

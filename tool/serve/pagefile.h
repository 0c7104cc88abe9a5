/* SPDX-License-Identifier: MIT */
#ifndef WICK_SERVE_PAGEFILE_H
#define WICK_SERVE_PAGEFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct arena;
struct sink;

/*
 * What the page reads: a JSON object and named columns of numbers, which lie in
 * the file as a browser's typed arrays do.  docs/design/page.md has the layout.
 */
#define PAGEFILE_MAGIC	 "wickpage"
#define PAGEFILE_VERSION 1

struct page_column {
	const char *name; /* static */
	const void *at;
	uint64_t count;
	uint8_t width; /* of a number in bytes: 1, 2, 4 or 8 */
	bool real;     /* floating point, of 8 bytes */
};

/* A file being put together.  Columns are in the arena, or outlive it. */
struct pagefile {
	struct arena *arena; /* borrowed */
	VEC(struct page_column) columns;
};

/*
 * Adds a column; unsigned numbers are stored as narrow as the largest of them
 * allows.  When memory runs out the arena's failed flag tells.
 */
void pagefile_add(struct pagefile *f, const char *name, const uint32_t *at,
		  uint64_t count);
void pagefile_add_real(struct pagefile *f, const char *name, const double *at,
		       uint64_t count);
void pagefile_add_bytes(struct pagefile *f, const char *name,
			struct span bytes);

/*
 * Writes the file.  json is an object that is closed but for its last brace:
 * the list of columns is added to it.  planes: the first bytes of all numbers
 * of a column, then the second ones, and so on, which compresses much better.
 */
void pagefile_write(const struct pagefile *f, struct span json, bool planes,
		    struct sink *out);

#endif /* WICK_SERVE_PAGEFILE_H */

/* SPDX-License-Identifier: MIT */
/*
 * The inside of a recording's block: rows, stored as columns.  A column says
 * which it is, how its values are stored and how long it is, so that a reader
 * can pass over one it does not know.
 */
#ifndef WICK_FORMAT_RECORDING_COLUMN_H
#define WICK_FORMAT_RECORDING_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct arena;

/* How the values of a column are stored. */
enum encoding {
	ENCODING_BYTES = 0,
	ENCODING_UNSIGNED = 1, /* varints */
	ENCODING_SIGNED = 2,   /* zigzag varints */
	ENCODING_DELTA = 3,    /* zigzag varints of differences */
	ENCODINGS,
};

static inline uint64_t zigzag(uint64_t value)
{
	return value << 1 ^ (0 - (value >> 63));
}

static inline uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/*
 * Bytes of a block being put together.  The arena owns them.  When there is no
 * memory, or more than a block may hold, failed is set to a negative errno and
 * everything that follows is dropped, so a writer checks once, at its end.
 */
struct payload {
	struct arena *arena;
	uint8_t *at;
	size_t used;
	size_t size;
	int failed;
};

/* Starts again with rows that are numbered from first on. */
void payload_begin(struct payload *b, uint64_t first, uint64_t count);

/* A column being written: column_begin(), column_put()…, column_end(). */
struct column_out {
	uint8_t *at; /* NULL: failed */
	size_t start;
	uint64_t previous;
	enum encoding encoding;
};

/* Makes room for at most count values, whatever they are. */
struct column_out column_begin(struct payload *b, unsigned number,
			       enum encoding encoding, uint64_t count);
void column_end(struct payload *b, const struct column_out *c);

static inline void column_put(struct column_out *c, uint64_t value)
{
	uint64_t coded = value;

	if (!c->at)
		return;
	if (c->encoding == ENCODING_DELTA) {
		coded = zigzag(value - c->previous);
		c->previous = value;
	} else if (c->encoding == ENCODING_SIGNED) {
		coded = zigzag(value);
	}
	for (; coded >= 0x80; coded >>= 7)
		*c->at++ = (uint8_t)(coded | 0x80);
	*c->at++ = (uint8_t)coded;
}

/* Bytes of an ENCODING_BYTES column. */
void column_put_bytes(struct column_out *c, struct span bytes);

/* A column being read; zeroed, it is one that is not there. */
struct column_in {
	bool there;
	bool required;
	uint64_t number;
	unsigned encoding;
	struct reader bytes;
	uint64_t previous;
};

/* The rows of a block being read, column by column in ascending order. */
struct table_in {
	uint64_t first;
	uint64_t count;
	struct column_in next; /* not asked for yet */
	struct reader rest;
	/* Why reading failed, as a sentence's end; NULL: it did not. */
	const char *fault;
	bool too_new; /* fault is not the file's, but our age */
};

/* Starts to read a block's bytes. */
struct table_in table_of(struct span raw);

/*
 * The column of this number, if it is there; columns that come before it, and
 * were not asked for, are passed over unless they are required.
 */
struct column_in table_column(struct table_in *t, unsigned number);

/* Passes over what is left. */
void table_finish(struct table_in *t);

/* The next value; 0 with bytes.failed set if there is none. */
static inline uint64_t column_get(struct column_in *c)
{
	uint64_t coded = reader_uleb(&c->bytes);

	if (c->encoding == ENCODING_UNSIGNED)
		return coded;
	if (c->encoding == ENCODING_SIGNED)
		return unzigzag(coded);
	c->previous += unzigzag(coded);
	return c->previous;
}

#endif /* WICK_FORMAT_RECORDING_COLUMN_H */

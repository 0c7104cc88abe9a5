/* SPDX-License-Identifier: MIT */
/*
 * What the files of the pprof writer share; nobody else includes it.  See
 * pprof_write.c for the order of things.
 */
#ifndef WICK_FORMAT_PPROF_ENCODE_H
#define WICK_FORMAT_PPROF_ENCODE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "format/proto.h"
#include "profile/profile.h"

struct workers;

enum { PPROF_SHORT = 3 };

/* An id as it is written, if it takes no more than PPROF_SHORT bytes. */
struct pprof_short_id {
	uint8_t bytes[PPROF_SHORT];
	uint8_t len;
};

/* What rows are made of, known before the first is written.  Several writers
 * of rows read it at the same time. */
struct pprof_encoder {
	const struct profile *profile;
	struct arena scratch;

	/* The strings that are used: their numbers, and in their order. */
	uint32_t *number; /* by str_id; 0: not used, except of "" */
	VEC(str_id) strings;

	/* The locations' ids, by frame_id.  NULL: some are not short. */
	struct pprof_short_id *short_id;
};

/* Writes rows to a sink to memory.  Its scratch is its owner's to release. */
struct pprof_row_writer {
	const struct pprof_encoder *encoder;
	struct sink *out;
	struct arena scratch;
	/* Of the sample at hand. */
	VEC(frame_id) frames; /* of a stack that is not written down */
	VEC(uint8_t) bytes;
	struct span ids;     /* as they will be written, in bytes */
	VEC(uint8_t) labels; /* so, too */
};

/* Makes the encoder's short ids, and the stacks ready.  Returns 0 or -ENOMEM.
 */
int pprof_prepare_frames(struct pprof_encoder *e,
			 const struct workers *workers);

/* Writes one row; rows of a table come one after the other.  When memory runs
 * out it shows in out or scratch. */
typedef void pprof_put_row(struct pprof_row_writer *w, uint32_t row);

pprof_put_row pprof_put_sample;
pprof_put_row pprof_put_mapping;
pprof_put_row pprof_put_location;
pprof_put_row pprof_put_function;
pprof_put_row pprof_put_string; /* rows are numbers of strings */

/* Numbers of one field, as pprof writes them: packed from three on. */
struct pprof_numbers {
	unsigned field; /* below 16, so that a key is a byte */
	const uint64_t *at;
	uint32_t count;
	size_t len; /* without keys and the length */
};

struct pprof_numbers pprof_measure(unsigned field, const uint64_t *numbers,
				   uint32_t count);

/* How many bytes they take. */
size_t pprof_numbers_size(const struct pprof_numbers *n);

/* Stores them where there is room for PROTO_MOST bytes more than they take;
 * returns what comes after. */
uint8_t *pprof_store_numbers(uint8_t *to, const struct pprof_numbers *n);

#endif /* WICK_FORMAT_PPROF_ENCODE_H */

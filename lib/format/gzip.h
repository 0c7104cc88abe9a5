/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_GZIP_H
#define WICK_FORMAT_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sink.h"
#include "base/span.h"

struct error;
struct libdeflate_compressor;

/*
 * A decompressed file, in anonymous pages of its own, so that a reader which
 * is done with the front of it may give that back with madvise(2).
 */
struct gunzipped {
	struct span data;
	uint8_t *base;
	size_t mapped;
};

/* Whether data begins as a gzip file does. */
bool gzip_detect(struct span data);

/*
 * Decompresses a whole file of one or more members.  Returns 0, -EBADMSG if it
 * is damaged or followed by something else, -EFBIG if there is more than limit
 * bytes in it, or -ENOMEM.  Memory is mapped for what the file claims to hold
 * but taken only for what it does hold.
 */
int gzip_expand(struct gunzipped *ret, struct span file, uint64_t limit,
		struct error *err);

/* Returns the memory; also for what gzip_expand() failed to fill. */
void gunzipped_release(struct gunzipped *g);

/*
 * Compression of any amount with bounded memory: write to plain, call
 * gzip_writer_step() every now and then.  The compressor only takes whole
 * buffers, so a file of more than GZIP_MEMBER bytes becomes several members,
 * which is a valid gzip file; smaller ones, which is nearly all, are a single
 * member, because readers in browsers know no other.
 */
struct gzip_writer {
	struct sink plain; /* to memory */
	struct sink *out;  /* borrowed */
	struct arena arena;
	struct libdeflate_compressor *compressor;
};

#define GZIP_MEMBER ((size_t)64 << 20)

/* Returns 0 or -ENOMEM; plain and out keep their own errors. */
int gzip_writer_open(struct gzip_writer *w, struct sink *out);
void gzip_writer_step(struct gzip_writer *w);

/* Writes what is left and releases everything.  Returns 0 or the first error,
 * of out's too, which is not flushed. */
int gzip_writer_close(struct gzip_writer *w);

#endif /* WICK_FORMAT_GZIP_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_GZIP_H
#define WICK_FORMAT_GZIP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sink.h"
#include "base/span.h"
#include "base/workers.h"

struct error;
struct quickdeflate;

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
 * gzip_writer_step() every now and then.
 *
 * A file is always one member, because readers in browsers know no other.  Up
 * to GZIP_SMALL bytes, which is nearly all files, are compressed well; more
 * than that quickly, in pieces that workers can share.  The bytes of the file
 * do not depend on how many workers there are.
 */
#define GZIP_SMALL ((size_t)8 << 20)

/* What has become of a part, all of it packed by one worker. */
struct gzip_part {
	unsigned worker;
	size_t begin; /* in what that worker has packed */
	size_t end;
	uint64_t len; /* before it was packed */
	uint32_t checksum;
};

/* Where a worker adds a part: write to plain, call gzip_piece_step() now and
 * then.  The rest belongs to the writer. */
struct gzip_piece {
	struct sink plain; /* to memory */
	struct sink packed;
	struct arena arena;
	struct quickdeflate *deflate;
	struct gzip_part *part;
};

enum { GZIP_PARTS = 32 };

/* Writes the part with this number to a worker's piece. */
typedef void gzip_fill(void *context, unsigned worker, unsigned number,
		       struct gzip_piece *piece);

struct gzip_writer {
	struct sink plain; /* to memory; keeps the first error */
	struct sink *out;  /* borrowed */
	const struct workers *workers;
	struct arena arena;
	struct gzip_piece pieces[WORKERS_MAX]; /* by worker */
	struct gzip_part parts[GZIP_PARTS];

	/* What workers do at the moment. */
	gzip_fill *fill;
	void *fill_context;
	unsigned part_count;
	atomic_uint next; /* the first part that nobody has yet */

	bool large;
	uint64_t len; /* of what is in out */
	uint32_t checksum;
};

/* workers may be NULL.  w must stay where it is until it is closed. */
void gzip_writer_open(struct gzip_writer *w, struct sink *out,
		      const struct workers *workers);
void gzip_writer_step(struct gzip_writer *w);

/*
 * Has the workers write so many parts, at most GZIP_PARTS, at the same time.
 * They come after what has been written, in the order of their numbers.  There
 * should be more parts than workers, so that none waits long for another.  Only
 * once the file is large.
 */
void gzip_writer_fill(struct gzip_writer *w, unsigned parts, gzip_fill *fill,
		      void *context);
void gzip_piece_step(struct gzip_piece *p);

/* Writes what is left and releases everything.  Returns 0 or the first error,
 * of out's too, which is not flushed. */
int gzip_writer_close(struct gzip_writer *w);

#endif /* WICK_FORMAT_GZIP_H */

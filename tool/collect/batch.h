/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_BATCH_H
#define WICK_COLLECT_BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

enum {
	BATCHES_SIZE = 64 << 20, /* of all: what bounds the recorder's memory */
};

/* Records that were taken out of the rings together. */
struct batch {
	struct batch *next;
	/*
	 * Everything that happened before this moment (CLOCK_MONOTONIC) is in
	 * this batch or in earlier ones; 0: nothing is known.
	 */
	uint64_t complete;
	uint32_t left; /* records that are still in use; their user's */
	size_t used;
	uint8_t bytes[];
};

/*
 * From the thread that empties the rings to the one that makes sense of them,
 * which may fall behind: reading an unwind table takes longer than filling a
 * ring does.  When too much waits the first one waits too, and the kernel
 * counts what it could not store.
 */
struct batches {
	pthread_mutex_t lock;
	pthread_cond_t freed;
	struct batch *first; /* to be read */
	struct batch **last;
	size_t size; /* of all, read or not */
	int wake;    /* an eventfd, readable when there is something */
};

/* Returns 0 or a negative errno. */
int batches_init(struct batches *b);
void batches_release(struct batches *b);

/*
 * Hands a copy of records over, when there is room.  Returns 0 or -ENOMEM, and
 * then they are lost.
 */
int batch_put(struct batches *b, struct span records, uint64_t complete);

/* The oldest that was handed over, for batch_free(); NULL: none yet. */
struct batch *batch_take(struct batches *b);
void batch_free(struct batches *b, struct batch *one);

/* Bytes that wait or are in use, of BATCHES_SIZE. */
size_t batches_size(struct batches *b);

#endif /* WICK_COLLECT_BATCH_H */

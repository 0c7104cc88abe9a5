/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_BATCH_H
#define WICK_COLLECT_BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BATCH_SIZE = 1 << 20,
	BATCHES = 48, /* at most: what bounds the recorder's memory */
};

/*
 * Records that were taken out of the rings together.  Whoever holds one returns
 * it with batch_free().
 */
struct batch {
	struct batch *next;
	/*
	 * Everything that happened before this moment (CLOCK_MONOTONIC) is in
	 * this batch or in earlier ones; 0: nothing is known.
	 */
	uint64_t complete;
	uint32_t left; /* records that are still in use; their user's */
	size_t used;
	uint8_t bytes[BATCH_SIZE];
};

/*
 * From the thread that empties the rings to the one that makes sense of them,
 * which may fall behind: reading an unwind table takes longer than filling a
 * ring does.  When all batches are in use the first one waits, and the kernel
 * counts what it could not store.
 */
struct batches {
	pthread_mutex_t lock;
	pthread_cond_t freed;
	struct batch *first; /* to be read */
	struct batch **last;
	struct batch *spare;
	unsigned count; /* in all */
	int wake;	/* an eventfd, readable when there is something */
	bool closed;	/* no more will come */
};

/* Returns 0 or a negative errno. */
int batches_init(struct batches *b);
void batches_release(struct batches *b);

/* An empty one, to be filled; waits for it.  NULL: no memory at all. */
struct batch *batch_new(struct batches *b);

/* Hands a filled one over. */
void batch_put(struct batches *b, struct batch *one);

/* The oldest that was handed over; NULL: none yet. */
struct batch *batch_take(struct batches *b);

void batch_free(struct batches *b, struct batch *one);

/* Says that nothing more will be put; and whether that was said. */
void batches_close(struct batches *b);
bool batches_closed(struct batches *b);

#endif /* WICK_COLLECT_BATCH_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_DRAIN_H
#define WICK_COLLECT_DRAIN_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { DRAIN_SIZE = 512 << 10 };

struct batches;
struct error;
struct rings;

/*
 * The thread that empties the rings and does nothing else, so that nothing
 * makes it late.  The rings are its own while it runs.
 */
struct drain {
	struct rings *rings;
	struct batches *to;
	pthread_t thread;
	int stop; /* an eventfd */
	size_t used;
	uint8_t bytes[DRAIN_SIZE]; /* taken, not handed over yet */
};

/* Starts it.  Returns 0 or a negative errno with a sentence. */
int drain_start(struct drain *d, struct rings *rings, struct batches *to,
		struct error *err);

/* Lets it empty the rings once more and waits for its end. */
void drain_stop(struct drain *d);

#endif /* WICK_COLLECT_DRAIN_H */

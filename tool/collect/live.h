/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_LIVE_H
#define WICK_COLLECT_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"

struct space;

enum { LIVE_PAGE = 4096, LIVE_SLOTS = 16, LIVE_READS = 2048, LIVE_BELOW = 128 };

struct live_page {
	uint64_t at;
	bool good; /* false: it could not be read */
	uint8_t bytes[LIVE_PAGE];
};

/*
 * The memory of a process as it is now, a moment after a sample was taken: for
 * what the copy of the stack has not got.  Code is what it was then; a stack
 * most likely, the farther from its end the more.  Pages are kept for the
 * length of one walk.  The rest of a large copy is served from here as well, so
 * that it is known whether a small one would do.
 */
struct live {
	pid_t pid;
	const struct space *space; /* tells code from data */
	uint64_t sp;
	unsigned reads;	     /* of pages, in this walk */
	unsigned data_reads; /* words of data that were read */
	uint64_t first_data; /* the first that was asked for */
	bool beyond;	     /* more than the small copy was needed */
	struct span rest;    /* of a large copy, behind the small one */
	uint64_t rest_at;
	unsigned used;
	struct live_page page[LIVE_SLOTS];
};

/*
 * Starts a walk of a thread of the process whose stack pointer was sp.  What
 * is just below that changes at once, and reads as absent.
 */
void live_begin(struct live *l, pid_t pid, const struct space *space,
		uint64_t sp);

/* The unwinder's reader; context is a struct live.  Never faults. */
bool live_read(void *context, uint64_t addr, uint64_t *value);

#endif /* WICK_COLLECT_LIVE_H */

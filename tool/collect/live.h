/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_LIVE_H
#define WICK_COLLECT_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct space;

enum { LIVE_PAGE = 4096, LIVE_SLOTS = 16, LIVE_READS = 64 };

struct live_page {
	uint64_t at;
	bool good; /* false: it could not be read */
	uint8_t bytes[LIVE_PAGE];
};

/*
 * The memory of a process as it is now, a moment after a sample was taken: for
 * what the copy of the stack has not got.  Code is what it was then; a stack
 * most likely, the farther from its end the more.  Pages are kept for the
 * length of one walk.
 */
struct live {
	pid_t pid;
	const struct space *space; /* tells code from data */
	unsigned reads;		   /* of pages, in this walk */
	unsigned data_reads;	   /* words of data that were asked for */
	uint64_t first_data;	   /* the first of them */
	unsigned used;
	struct live_page page[LIVE_SLOTS];
};

/* Starts a walk of a thread of the process. */
void live_begin(struct live *l, pid_t pid, const struct space *space);

/* The unwinder's reader; context is a struct live.  Never faults. */
bool live_read(void *context, uint64_t addr, uint64_t *value);

#endif /* WICK_COLLECT_LIVE_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_TIMELINE_H
#define WICK_COLLECT_TIMELINE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

struct batch;
struct batches;
struct record;
struct sort_item;

struct timeline_entry {
	uint64_t time;
	const uint8_t *at;
	struct batch *batch;
};

/*
 * Puts records of many processors into the order of their times, so that a
 * library is mapped before code in it is seen.  Keeps batches until all their
 * records have been used.
 */
struct timeline {
	struct batches *batches; /* where they go back to */
	struct arena arena;
	VEC(struct timeline_entry) entries;
	VEC(struct timeline_entry) kept;
	struct sort_item *order;
	uint32_t order_size;
};

typedef void timeline_use(void *context, const struct record *r);

/*
 * Adds a batch's records and calls use for those that nothing older can follow
 * any more, oldest first.
 */
void timeline_add(struct timeline *t, struct batch *b, timeline_use *use,
		  void *context);

/* Calls use for all that is left. */
void timeline_finish(struct timeline *t, timeline_use *use, void *context);

void timeline_release(struct timeline *t);

#endif /* WICK_COLLECT_TIMELINE_H */

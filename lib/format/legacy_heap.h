/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_HEAP_H
#define WICK_FORMAT_LEGACY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct error;
struct legacy_build;
struct lines;

/* "COUNT: BYTES [COUNT: BYTES]": what is in use, what was ever allocated. */
struct heap_counts {
	struct span in_use;
	struct span in_use_bytes;
	struct span allocated;
	struct span allocated_bytes;
};

/* How the values of a heap profile are to be understood. */
struct heap_kind {
	bool sampled;	/* one in rate bytes, to be scaled back */
	bool allocated; /* what was ever allocated is there as well */
};

/* Takes counts; in_use may be negative if signs is set.  False: none there. */
bool heap_take_counts(struct reader *r, bool signs, struct heap_counts *c);

/*
 * Whether a profile with these totals tells what was ever allocated: not if
 * that is nothing or the same as what is in use.
 */
bool heap_tells_allocated(const struct heap_counts *totals);

/* Declares the values of the samples. */
void heap_add_types(struct legacy_build *b, const struct heap_kind *kind);

/*
 * Appends a sample with the frames added before.  The period of b is the
 * sampling rate.  Returns 0, or -EBADMSG with a sentence about the current
 * line.
 */
int heap_add_sample(struct legacy_build *b, const struct heap_kind *kind,
		    const struct heap_counts *c, const struct lines *lines,
		    struct error *err);

#endif /* WICK_FORMAT_LEGACY_HEAP_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_PROCMAPS_H
#define WICK_COLLECT_PROCMAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/* One line of /proc/PID/maps. */
struct procmap {
	uint64_t lo;
	uint64_t hi;
	uint64_t offset;
	uint64_t inode;
	uint32_t major;
	uint32_t minor;
	bool executable;
	struct span path; /* borrowed; empty if it has none */
};

/*
 * Takes the next line off the front of text; false at the end.  Lines that are
 * not of the kind are passed over.
 */
bool procmap_next(struct span *text, struct procmap *ret);

#endif /* WICK_COLLECT_PROCMAPS_H */

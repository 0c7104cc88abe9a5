/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_MAPS_H
#define WICK_SYMBOL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* One mapping of a process, as /proc/PID/maps shows it. */
struct map_line {
	uint64_t start;
	uint64_t end;	 /* exclusive */
	uint64_t offset; /* in the file */
	uint64_t inode;	 /* 0: no file */
	uint32_t major;	 /* of the file's device */
	uint32_t minor;
	struct span path; /* as shown: borrowed, escaped; may be empty */
	bool executable;
	bool deleted; /* the file has no name any more; path has its last */
};

/*
 * Takes the next mapping from the text; false at its end.  Lines that are not
 * mappings are passed over.
 */
bool maps_next(struct reader *text, struct map_line *ret);

/*
 * Writes the path with its escapes undone and a NUL, and returns its length;
 * one that does not fit becomes empty.
 */
size_t maps_path(const struct map_line *m, char *path, size_t size);

#endif /* WICK_SYMBOL_MAPS_H */

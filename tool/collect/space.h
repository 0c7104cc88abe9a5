/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_SPACE_H
#define WICK_COLLECT_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "unwind/walk.h"

struct binaries;
struct binary;

/* A stretch of executable memory. */
struct space_map {
	uint64_t lo;
	uint64_t hi;
	uint64_t offset;       /* in the file */
	struct binary *binary; /* NULL: not a file */
};

/*
 * The executable memory of a process, as far as it is known.  Processes share
 * one after fork until either of them changes it.  The kernel does not tell of
 * memory that is unmapped; it is forgotten when something else takes its place.
 */
struct space {
	unsigned users;
	uint32_t count;
	uint32_t capacity;
	struct space_map *map;	       /* by address, not overlapping */
	struct unwind_module *modules; /* the same for the unwinder */
	uint32_t room;		       /* of modules */
	struct unwind_map view;
	bool stale; /* view is not what map is */
};

/* An empty one with one user; NULL: no memory. */
struct space *space_new(void);

/* One more user, and one less; the last one releases it. */
struct space *space_share(struct space *s);
void space_drop(struct space *s);

/*
 * Adds a map, which takes the place of whatever was there.  *s becomes the
 * caller's own if it was shared.  False: no memory, and then nothing changed.
 */
bool space_add(struct space **s, const struct space_map *map);

/*
 * Adds all that /proc says of a process now.  Returns 0 or a negative errno.
 */
int space_read(struct space **s, pid_t pid, struct binaries *binaries);

/* The map at an address; NULL: none. */
const struct space_map *space_find(const struct space *s, uint64_t address);

/*
 * What the unwinder needs; waits for the tables of all binaries.  *generation
 * numbers the views of all spaces.
 */
const struct unwind_map *space_view(struct space *s, struct binaries *binaries,
				    uint32_t *generation);

#endif /* WICK_COLLECT_SPACE_H */

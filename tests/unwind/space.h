/* SPDX-License-Identifier: MIT */
/* The executable memory of a program under test, with its tables. */
#ifndef WICK_TEST_SPACE_H
#define WICK_TEST_SPACE_H

#include "load.h"
#include "target.h"
#include "unwind/walk.h"

enum { SPACE_MAX = 1024 };

struct space {
	struct unwind_module modules[SPACE_MAX];
	struct loaded *of[SPACE_MAX]; /* the object of each module, or NULL */
	struct unwind_map map;
	struct loaded *objects[SPACE_MAX];
	size_t n_objects;
};

/* Makes the map say what maps says; tables are compiled once per path. */
void space_update(struct space *s, struct target *t,
		  const struct target_map *maps, size_t n_maps);

/* The object's own address for pc, which is in the mapping. */
uint64_t space_address(const struct space *s, const struct target_map *m,
		       uint64_t pc);

/* The name of the function at pc; "?" if it has none. */
const char *space_name(const struct space *s, uint64_t pc);

#endif /* WICK_TEST_SPACE_H */

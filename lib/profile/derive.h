/* SPDX-License-Identifier: MIT */
/*
 * Profiles made from others.  A derived profile starts as a copy of the struct
 * that shares every table; each table is copied into the new arena before it is
 * changed, by the calls below.  String tables are shared for good: adding a
 * string changes nothing that a reader of the first profile can see.
 */
#ifndef WICK_PROFILE_DERIVE_H
#define WICK_PROFILE_DERIVE_H

#include <stdbool.h>

#include "profile/profile.h"

void profile_derive(struct profile *p, const struct profile *from,
		    struct arena *arena);

/* Give p its own copy of a table, once; 0 or -ENOMEM. */
int profile_own_locations(struct profile *p); /* and lines */
int profile_own_functions(struct profile *p);
int profile_own_mappings(struct profile *p);
int profile_own_labels(struct profile *p);
int profile_own_samples(struct profile *p);

/*
 * Drops the samples for which keep is false (by sample) and sets the others'
 * stacks to map[stack] (NULL: as they are).  Returns 0 or -ENOMEM.
 */
int profile_select_samples(struct profile *p, const bool *keep,
			   const stack_id *map);

#endif /* WICK_PROFILE_DERIVE_H */

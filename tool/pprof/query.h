/* SPDX-License-Identifier: MIT */
/* The parameters behind the '?' of an address. */
#ifndef WICK_PPROF_QUERY_H
#define WICK_PPROF_QUERY_H

#include <stdbool.h>

struct arena;
struct url;

/* The first value of a query's parameter, decoded, or NULL. */
const char *query_get(const struct url *u, struct arena *arena,
		      const char *name);

/*
 * Writes the query anew, parameters by name, as Go does; with value not NULL,
 * name is set to it first.  false: out of memory, u unchanged.
 */
bool query_set(struct url *u, struct arena *arena, const char *name,
	       const char *value);

#endif /* WICK_PPROF_QUERY_H */

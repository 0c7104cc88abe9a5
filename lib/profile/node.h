/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_NODE_H
#define WICK_PROFILE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"

typedef uint32_t node_id; /* index into nodetab.info; 0: none */

/*
 * What makes two frames one entry of a report.  Which fields are filled in is
 * a matter of granularity; those that are not are 0.
 */
struct node_info {
	uint64_t address;
	int64_t start_line;
	int64_t line;
	int64_t column;
	str_id name;
	str_id file;
	str_id object;
};

/* Which properties of a frame count. */
struct node_options {
	bool function;
	bool file;
	bool line;
	bool column;
	bool address;
	bool object;	     /* always; else only where there is no name */
	bool inlines;	     /* false: only the real function of a location */
	const str_id *files; /* to show, by function_id; NULL: as they are */
};

/*
 * The nodes of a profile, and for each location those it stands for: one per
 * inlined line, innermost first; one for a location without lines.
 */
struct nodetab {
	VEC(struct node_info) info; /* [0] unused */
	VEC(node_id) ids;
	uint32_t *first; /* location l has ids[first[l]] to ids[first[l + 1]] */
	struct table index;
	const uint32_t *ranks; /* by node_id, the order of their names: who
				  has made a large graph may know; or NULL */
};

/* The memory is arena's.  Returns 0 or -ENOMEM. */
int nodetab_make(struct nodetab *t, const struct profile *p,
		 const struct node_options *o, struct arena *arena);

/*
 * A part of that: adds what locations stand for, from one on.  What those
 * before stand for is there, and room for the first of all.
 */
int nodetab_add(struct nodetab *t, const struct profile *p,
		const struct node_options *o, location_id from,
		struct arena *arena);

/*
 * The same of a profile p that was made of another, wide, by taking lines from
 * its locations; the nodes of that one, with what is inlined, are known.  Which
 * location stands for which is arena's; the nodes and their ranks stay with of,
 * also those that nothing runs through any more.  Returns 0, -ENOMEM, or
 * -ENOENT if p is no such profile.
 */
int nodetab_narrow(struct nodetab *t, const struct nodetab *of,
		   const struct profile *wide, const struct profile *p,
		   struct arena *arena);

/*
 * The same of a profile p that was made of another, smaller, by adding
 * locations; the nodes of that one are known.  They keep their numbers, and if
 * they have ranks, the others get some among them, unless those are too many.
 * Returns 0, -ENOMEM, or -ENOENT if p is no such profile.
 */
int nodetab_widen(struct nodetab *t, const struct nodetab *of,
		  const struct profile *smaller, const struct profile *p,
		  const struct node_options *o, struct arena *arena);

/*
 * The text that names a node in reports: address, function and place as far
 * as they are known.  The table's or arena's memory; empty when that ran out.
 */
struct span node_name(const struct node_info *info, const struct strtab *s,
		      struct arena *arena);

/* The column of a function: a node without address and line is taken for one,
 * whatever its column; others are part of one that has none. */
static inline int64_t node_function_column(const struct node_info *info)
{
	return info->address || info->line ? 0 : info->column;
}

/* The last element of a path, as basename(1) gives it. */
struct span path_base(struct span path);

#endif /* WICK_PROFILE_NODE_H */

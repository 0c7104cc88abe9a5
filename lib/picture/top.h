/* SPDX-License-Identifier: MIT */
/*
 * The table of what most was spent in, laid out as pprof's "top": its parts for
 * reports that choose what is shown, and the whole for a profile as it is.
 */
#ifndef WICK_PICTURE_TOP_H
#define WICK_PICTURE_TOP_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct nodetab;
struct profile;
struct sink;
struct trimmed;

#define TOP_HEADING "      flat  flat%   sum%        cum   cum%\n"

/* The numbers of a row, and how they are written. */
struct top_values {
	int64_t flat;
	int64_t cum;
	const char *flat_text;
	const char *cum_text;
};

/*
 * The columns flat, flat%, sum%, cum and cum%; sum is what the rows so far add
 * up to, total what percentages are of.
 */
void put_top_values(struct sink *out, const struct top_values *v, int64_t total,
		    int64_t *sum);

/* What stands behind the name of a node that was inlined somewhere, or "". */
const char *top_inline_mark(const struct trimmed *t, uint32_t node);

/* Whether any location holds inlined code, without which no edge matters. */
bool top_has_inlines(const struct profile *p);

/*
 * The nodes that were ever inlined, by node_id: edges tell what was, so only
 * those to these matter.  NULL when arena has no memory.
 */
bool *top_inlined_nodes(const struct profile *p, const struct nodetab *t,
			struct arena *arena);

/*
 * Writes the functions of a profile, of one type of value, those that took most
 * first, at most so many (0: all).  What it needs meanwhile comes from arena.
 * Returns 0 or -ENOMEM.
 */
int top_write(const struct profile *p, uint32_t type, uint32_t count,
	      struct sink *out, struct arena *arena);

#endif /* WICK_PICTURE_TOP_H */

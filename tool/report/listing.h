/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_LISTING_H
#define WICK_REPORT_LISTING_H

#include <stdint.h>

#include "report/graphview.h"

struct error;

/* Nodes of one function in one source file, by line. */
struct line_group {
	const uint32_t *nodes; /* of the graph */
	uint32_t count;
	str_id function;
	str_id file;   /* 0: the function's source is unknown */
	uint64_t flat; /* sums */
	uint64_t cum;
	int64_t first_line; /* to show, some lines around included */
	int64_t last_line;
};

/* The functions that match a report's argument, ready to be listed. */
struct listing {
	struct report_context *c;
	bool any_text;	     /* the argument may match a function's file or
				symbol, or be an address in it */
	struct graph_view g; /* its nodes; they are in no order */
	uint32_t *nodes;     /* those that match, by function, file and line */
	uint32_t count;
};

/* Fills l, of which c and any_text are set.  Returns 0 or a negative errno. */
int listing_find(struct listing *l, struct error *err);

/*
 * Takes the next group, in the order of names: at is where to go on, 0 first.
 * False after the last.
 */
bool listing_next(const struct listing *l, uint32_t *at,
		  struct line_group *ret);

/*
 * What the group's nodes on a line took.  Lines are asked for in ascending
 * order; at, 0 first, remembers how far.
 */
void line_group_sum(const struct listing *l, const struct line_group *g,
		    int64_t line, uint32_t *at, uint64_t sums[2]);

#endif /* WICK_REPORT_LISTING_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_DOTLETS_H
#define WICK_REPORT_DOTLETS_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct node_tag;
struct report_context;
struct sink;

/* The small boxes of a node that show its tags. */
struct dotlets {
	const struct report_context *c;
	struct arena *scratch; /* what is in it afterwards is not needed */
	struct sink *out;
	const struct node_tag *tags; /* of the node */
	uint32_t count;
	uint32_t number; /* the node's in the picture */
	/*
	 * Nodes with callees show what they spent themselves; others also what
	 * was spent in callees that were left out.
	 */
	bool flat;
	int64_t cutoff; /* tags below it are left out */
};

/* Returns whether any was drawn, or -ENOMEM. */
int dotlets_put(const struct dotlets *d);

#endif /* WICK_REPORT_DOTLETS_H */

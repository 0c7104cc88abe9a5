/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_LABELSHARES_H
#define WICK_REPORT_LABELSHARES_H

#include <stdint.h>

#include "profile/label.h"
#include "profile/weight.h"

struct arena;
struct node_paths;
struct report_context;

/* What the samples with a label set spend in a node. */
struct label_share {
	uint32_t chosen; /* the node's number: see nodepaths.h */
	labels_id set;
	uint32_t sample; /* the first of them */
	struct weight flat;
	struct weight cum;
};

/* Those of a node together. */
struct label_shares {
	struct label_share *at;
	uint32_t *first; /* node n has at[first[n]] to at[first[n + 1]] */
};

/*
 * Adds up the samples of a context's profile whose label set is wanted, for
 * nodes of the numbers 1 to chosen.  The memory is arena's.  Returns 0 or
 * -ENOMEM.
 */
int label_shares_make(struct label_shares *s, const struct report_context *c,
		      const bool *wanted, const struct node_paths *paths,
		      uint32_t chosen, struct arena *arena);

#endif /* WICK_REPORT_LABELSHARES_H */

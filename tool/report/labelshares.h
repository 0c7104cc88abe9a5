/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_LABELSHARES_H
#define WICK_REPORT_LABELSHARES_H

#include <stdint.h>

#include "base/workers.h"
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

/* Each worker's, as it found them; there may be a great many. */
struct label_shares {
	unsigned parts;
	const struct label_share *at[WORKERS_MAX];
	uint32_t begin[WORKERS_MAX]; /* the number of a part's first */
	uint32_t count;
	uint32_t *order; /* their numbers, those of a node together */
	uint32_t *first; /* node n has order[first[n]] to order[first[n + 1]] */
};

static inline const struct label_share *label_share_get(
	const struct label_shares *s, uint32_t number)
{
	unsigned part = s->parts - 1;

	while (part && number < s->begin[part])
		part--;
	return &s->at[part][number - s->begin[part]];
}

/*
 * Adds up the samples of a context's profile whose label set is wanted, for
 * nodes of the numbers 1 to chosen.  The memory is arena's.  Returns 0 or
 * -ENOMEM.
 */
int label_shares_make(struct label_shares *s, const struct report_context *c,
		      const bool *wanted, const struct node_paths *paths,
		      uint32_t chosen, struct arena *arena);

#endif /* WICK_REPORT_LABELSHARES_H */

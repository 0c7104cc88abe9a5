/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_DOTTAGS_H
#define WICK_REPORT_DOTTAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "report/graphview.h"

/* A label (or a number of one) of the samples in a node, and its share. */
struct node_tag {
	str_id group; /* of a number: the labels it came with */
	str_id name;
	str_id unit; /* of a number */
	int64_t number;
	int64_t flat;
	int64_t flat_div;
	int64_t cum;
	int64_t cum_div;
	bool numeric;
};

/*
 * The tags of nodes of a graph or tree.  They are collected when first asked
 * for, while a graph is being trimmed: leaving other nodes out does not change
 * a node's own tags.
 */
struct node_tags {
	struct report_context *c;
	uint32_t most; /* only so many of the nodes, as they are in order when
			  first asked for, will be asked for; 0: any */
	bool done;
	int error;
	VEC(struct node_tag) tags; /* those of a node together */
	uint32_t *number;	   /* of nodes, from 1 on; NULL: no tags */
	uint32_t *first; /* number i has tags[first[i]] to [first[i + 1]] */
};

/* The tags of a node; collects them all on first use. */
const struct node_tag *node_tags_get(struct node_tags *n,
				     const struct trimmed *t, uint32_t node,
				     uint32_t *ret_count);

/* For trim_options.count_tags; context is a struct node_tags. */
uint32_t node_tags_count(void *context, const struct trimmed *t, uint32_t node,
			 int64_t cutoff);

/* Whether the tag is worth showing. */
static inline bool node_tag_shown(const struct node_tag *tag, int64_t cutoff)
{
	return magnitude(tag->flat) >= cutoff || magnitude(tag->cum) >= cutoff;
}

#endif /* WICK_REPORT_DOTTAGS_H */

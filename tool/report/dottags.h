/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_DOTTAGS_H
#define WICK_REPORT_DOTTAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "report/graphview.h"
#include "report/labelshares.h"

/* A label (or a number of one) of the samples in a node, and its share. */
struct node_tag {
	uint32_t tag; /* the same for all nodes */
	str_id group; /* of a number: the labels it came with */
	str_id name;
	str_id unit; /* of a number */
	int64_t number;
	uint32_t sample; /* the first with that number */
	bool numeric;
	int64_t flat;
	int64_t flat_div;
	int64_t cum;
	int64_t cum_div;
};

/* The tags of one node after the other, for one thread.  Zeroed: ready. */
struct tag_list {
	struct arena arena; /* all is in it */
	VEC(struct node_tag) tags;
	uint32_t *place; /* by tag: 1 + where the node's is; 0: it has none */
};

void tag_list_release(struct tag_list *l);

struct tag_table;

/*
 * The tags of nodes of a graph or tree.  They are collected when first asked
 * for, while a graph is being trimmed: leaving other nodes out does not change
 * a node's own tags.  What is collected are the shares of label sets, from
 * which the tags of a node are listed when they are asked for: those of all
 * nodes at once would be gigabytes.
 */
struct node_tags {
	struct report_context *c;
	uint32_t most; /* only so many of the nodes, as they are in order when
			  first asked for, will be asked for; 0: any */
	bool done;
	int error;
	struct arena arena; /* of what follows */
	struct tag_table *table;
	struct label_shares shares;
	uint32_t *number; /* of nodes, from 1 on; NULL: no tags */
	struct tag_list counted;
};

/* Collects them unless that is done.  Returns 0 or -ENOMEM. */
int node_tags_collect(struct node_tags *n, const struct trimmed *t);
void node_tags_release(struct node_tags *n);

/* Lists the tags of a node, in any order, once they are collected.  Returns 0
 * or -ENOMEM. */
int node_tags_list(const struct node_tags *n, uint32_t node,
		   struct tag_list *l);

/* For trim_options.count_tags; context is a struct node_tags. */
uint32_t node_tags_count(void *context, const struct trimmed *t, uint32_t node,
			 int64_t cutoff);

/* Whether the tag is worth showing. */
static inline bool node_tag_shown(const struct node_tag *tag, int64_t cutoff)
{
	return magnitude(tag->flat) >= cutoff || magnitude(tag->cum) >= cutoff;
}

#endif /* WICK_REPORT_DOTTAGS_H */

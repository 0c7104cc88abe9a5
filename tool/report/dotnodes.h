/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_DOTNODES_H
#define WICK_REPORT_DOTNODES_H

#include <stdint.h>

struct dot_box;
struct node_tags;
struct report_context;
struct sink;
struct trimmed;

/* The shown nodes of a picture, each with the boxes of its tags. */
struct dot_nodes {
	const struct report_context *c;
	const struct trimmed *t;
	const struct node_tags *tags; /* collected */
	struct dot_box *boxes; /* by graph node; which have tags is set */
};

/* Returns 0 or -ENOMEM. */
int dot_nodes_put(const struct dot_nodes *d, struct sink *out);

#endif /* WICK_REPORT_DOTNODES_H */

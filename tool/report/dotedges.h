/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_DOTEDGES_H
#define WICK_REPORT_DOTEDGES_H

#include <stdint.h>

struct graph_edge;
struct report_context;
struct sink;

/* What edges say of the nodes at their ends, in one place: they are many. */
struct dot_box {
	const uint8_t *name; /* escaped */
	uint32_t name_len;
	uint32_t number : 31;  /* 0: not shown */
	uint32_t has_tags : 1; /* boxes for them were drawn */
};

/* The edges of a picture, in the order of ids. */
struct dot_edges {
	const struct report_context *c;
	const struct dot_box *boxes; /* by graph node */
	const struct graph_edge *edges;
	const uint32_t *ids; /* of those that are drawn */
	uint32_t count;
};

/* Returns 0 or -ENOMEM. */
int dot_edges_put(const struct dot_edges *d, struct sink *out);

#endif /* WICK_REPORT_DOTEDGES_H */

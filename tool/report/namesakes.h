/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_NAMESAKES_H
#define WICK_REPORT_NAMESAKES_H

#include <stdint.h>

#include "profile/trim.h"

/* Functions of one name and file; the first of them has rank 1. */
struct family {
	str_id name;
	str_id file;
	uint32_t count;	  /* of its functions */
	uint32_t series;  /* of the texts that name them; see namesakes.texts */
	uint32_t members; /* nodes */
	uint32_t slots;	  /* 0, or a power of two */
	uint64_t first_slot;
	uint64_t owner; /* what its first function is told apart by */
};

/*
 * Viewers take functions of one name and file for the same.  Those that are not
 * (of different binaries, or in different contexts of a call tree) are told
 * apart by a number behind the name: their rank among them all, in the order in
 * which nodes are shown.
 *
 * Of the functions with such a number, those that read the same have the same
 * text: series of their family plus rank, which is less than texts.
 */
struct namesakes {
	VEC(struct family) families; /* [0] unused */
	uint32_t *family;	     /* by node_id; 0: of none that is shown */
	uint32_t *rank;		     /* by graph node; 0: it is not shown */
	uint32_t texts;
};

/* Finds those among the nodes that are shown.  The memory is arena's.  Returns
 * 0 or -ENOMEM. */
int namesakes_find(struct namesakes *n, const struct trimmed *t,
		   struct arena *arena);

/* The family of a node that is shown. */
static inline const struct family *namesakes_family(const struct namesakes *n,
						    const struct trimmed *t,
						    uint32_t node)
{
	return &n->families.at[n->family[trimmed_id(t, node)]];
}

#endif /* WICK_REPORT_NAMESAKES_H */

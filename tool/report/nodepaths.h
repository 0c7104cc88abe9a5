/* SPDX-License-Identifier: MIT */
/*
 * Which of some chosen nodes each stack runs through: for reports that want to
 * know more of a few nodes than what they add up to.
 */
#ifndef WICK_REPORT_NODEPATHS_H
#define WICK_REPORT_NODEPATHS_H

#include <stdint.h>

#include "base/vec.h"
#include "profile/trim.h"

/* A chosen node on a path, and the step that its nearest chosen caller is. */
struct path_step {
	uint32_t caller; /* 0: none */
	uint32_t chosen; /* the node's number */
};

/* The nodes of a stack are those of its last step and of all its callers; each
 * is there once, however often it recurs. */
struct node_paths {
	VEC(struct path_step) steps; /* [0] unused */
	uint32_t *last;		     /* step by stack_id; 0: none */
	uint32_t *own; /* number, by stack_id, of the node that the stack ends
			  in; 0: it was not chosen */
};

/*
 * chosen: numbers from 1 on, by graph node; 0: the node was not chosen.  The
 * memory is arena's.  Returns 0 or -ENOMEM.
 */
int node_paths_make(struct node_paths *x, const struct trimmed *t,
		    const uint32_t *chosen, struct arena *arena);

#endif /* WICK_REPORT_NODEPATHS_H */

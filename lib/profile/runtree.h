/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_RUNTREE_H
#define WICK_PROFILE_RUNTREE_H

#include <stdint.h>
#include <string.h>

#include "profile/stack.h"
#include "profile/visits.h"

struct arena;
struct graph_request;

/*
 * A call tree of entries, a node for each path, that is not made: it is a tree
 * of runs, each of which goes on from the end of its parent, and a node is a
 * place in a run.  All nodes of a run weigh the same.
 */
struct runtree {
	const struct stack_node *runs; /* [0]: the root, of no nodes; parents
					  stand before their children */
	uint32_t count;
	const uint64_t *weights;   /* by run, with all that follows it; 0: it is
				      not there */
	const uint64_t *own;	   /* by run: what is spent at its end */
	const uint64_t *shown;	   /* both as they are shown: means, where */
	const uint64_t *own_shown; /* those are asked for, or the same */
	const uint32_t *frames;
	struct visits visits; /* the entries of frames; none: they are entries
				 themselves */
};

/*
 * The tree of a request with weights, of which none is negative: its stacks as
 * they are, if no two of them are the same path, else merged.  What is not the
 * request's is arena's.  Returns 0, -ENOMEM, -EFBIG for too many entries, or
 * -ENOTSUP if a run that is there weighs nothing.
 */
int runtree_make(struct runtree *t, const struct graph_request *q,
		 struct arena *arena);

/* The most entries that a run can have. */
uint64_t runtree_longest(const struct runtree *t);

/*
 * Puts the entries of a run into path, the outermost first, and returns how
 * many.  There must be room for one more, which lets this write before it
 * knows.
 */
static inline uint32_t runtree_follow(const struct runtree *t, uint32_t run,
				      node_id *path)
{
	const uint32_t *frames = t->frames + t->runs[run].first;
	uint32_t length = t->runs[run].length;
	uint32_t count = 0;

	if (!t->visits.at) {
		memcpy(path, frames, length * sizeof(*path));
		return length;
	}
	for (uint32_t i = 0; i < length; i++) {
		struct visit visit = t->visits.at[frames[i]];

		path[count++] = visit.outer;
		if (visit.inner & VISIT_LIST) {
			const uint32_t *list = visit_list(&t->visits,
							  visit.inner);

			memcpy(path + count, list + 1, list[0] * sizeof(*path));
			count += list[0];
		} else {
			path[count] = visit.inner;
			count += visit.inner != 0;
		}
	}
	return count;
}

#endif /* WICK_PROFILE_RUNTREE_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_EDGE_TIES_H
#define WICK_PROFILE_EDGE_TIES_H

#include "profile/trim.h"

/*
 * In a difference, what a node lost by one call it may have won by another.
 * pprof takes such edges for equals, since only magnitudes are compared, and
 * shows those of a node that has few in the order in which samples first have
 * them.  This puts the edges of index, which are in order else, in that order;
 * in very large profiles names go on deciding.  For graphs, not for trees.
 * Returns 0, -ENOMEM or -ECANCELED.
 */
int edge_ties_settle(const struct trimmed *t, const struct edge_index *index);

#endif /* WICK_PROFILE_EDGE_TIES_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_EDGEWHOLE_H
#define WICK_PROFILE_EDGEWHOLE_H

#include <stdint.h>

#include "profile/weight.h"

struct edgepart;
struct edgewhole;

/*
 * Adds up all edges of a part, when nothing is left out and none is residual.
 * The memory is the part's.  NULL: there is none.
 */
struct edgewhole *edgewhole_new(struct edgepart *p);

/* Enters a run: as graph_enter, and -E2BIG for too many edges. */
int edgewhole_enter(struct edgewhole *w, uint32_t position, uint32_t mark,
		    struct weight sum);

/* Enters what is still on its way; the same. */
int edgewhole_finish(struct edgewhole *w);

#endif /* WICK_PROFILE_EDGEWHOLE_H */

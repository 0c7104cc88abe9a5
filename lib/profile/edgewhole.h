/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_EDGEWHOLE_H
#define WICK_PROFILE_EDGEWHOLE_H

#include <stdint.h>

#include "profile/weight.h"

struct edgepart;
struct edgewhole;
struct trail_part;
struct trail_run;

/*
 * Adds up all edges of a part, when nothing is left out and none is residual.
 * The memory is the part's.  NULL: there is none.
 */
struct edgewhole *edgewhole_new(struct edgepart *p);

/*
 * Instead of adding up, numbers the edges and puts down what each run steps on;
 * runs is by position.  To be asked for before anything is entered.
 */
void edgewhole_record(struct edgewhole *w, struct trail_part *trail,
		      struct trail_run *runs);

/* Enters a run: as graph_enter, and -E2BIG for too many edges. */
int edgewhole_enter(struct edgewhole *w, uint32_t position, uint32_t mark,
		    struct weight sum);

/* Enters what is still on its way; the same. */
int edgewhole_finish(struct edgewhole *w);

#endif /* WICK_PROFILE_EDGEWHOLE_H */

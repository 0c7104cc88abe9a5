/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_COLOUR_H
#define WICK_REPORT_COLOUR_H

#include <stdbool.h>

/* "#rrggbb" */
struct colour {
	char text[8];
};

/* The colour of a share of the total, from -1 to 1, as pprof chooses it. */
struct colour score_colour(double score, bool background);

#endif /* WICK_REPORT_COLOUR_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_COMPARE_H
#define WICK_REPORT_COMPARE_H

#include <stdbool.h>

struct error;
struct profile;
struct report_look;
struct sink;
struct view;

/* Two profiles to be compared, and how.  Everything is borrowed. */
struct compare_request {
	const struct profile *before;
	const struct profile *after;
	const struct view *view; /* sort_cum: compare cum instead of flat */
	const struct report_look *look;
	unsigned most; /* functions to show; 0: no limit */
	bool all;      /* also changes that may be chance */
	bool absolute; /* values as they are, not shares of the total */
};

/*
 * Writes what changed, function by function, the largest change first.  A
 * change counts if it is more than twice what chance explains, samples being
 * independent events.  Returns 0 or a negative errno with a sentence.
 */
int compare_write(const struct compare_request *request, struct sink *out,
		  struct error *err);

#endif /* WICK_REPORT_COMPARE_H */

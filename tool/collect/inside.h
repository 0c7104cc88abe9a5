/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_INSIDE_H
#define WICK_COLLECT_INSIDE_H

#include <stdbool.h>

struct collect_options;
struct collect_result;
struct error;

/* Whether this process gets no perf events at all. */
bool inside_is_needed(void);

/*
 * Records a program from inside: runs it with the agent, which wick carries,
 * preloaded, and makes a recording of the profiles that it and the programs it
 * runs leave.  Of the options argv, hertz, output and quiet count.  Returns 0
 * or a negative errno with a sentence.  The process must have one thread.
 */
int inside_record(const struct collect_options *o, struct collect_result *ret,
		  struct error *err);

#endif /* WICK_COLLECT_INSIDE_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_RUNNING_H
#define WICK_INSIDE_RUNNING_H

struct collect_options;
struct collect_result;
struct error;

/*
 * As collect(), from inside processes that run already: the agent is loaded
 * into each of them, and sent away at the end.  What they start is not seen.
 */
int collect_running(const struct collect_options *o, struct collect_result *ret,
		    struct error *err);

#endif /* WICK_INSIDE_RUNNING_H */

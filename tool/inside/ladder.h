/* SPDX-License-Identifier: MIT */
/*
 * Recording by the best way there is: what "wick record" does, and every
 * command that wants a recording made first.
 */
#ifndef WICK_INSIDE_LADDER_H
#define WICK_INSIDE_LADDER_H

struct collect_options;
struct collect_result;
struct error;

/*
 * As collect(); where perf events are refused, or the options say so, from
 * inside the target.
 */
int ladder_collect(const struct collect_options *o, struct collect_result *ret,
		   struct error *err);

#endif /* WICK_INSIDE_LADDER_H */

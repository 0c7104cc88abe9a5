/* SPDX-License-Identifier: MIT */
/*
 * Recording from inside, where perf events are forbidden: the program runs with
 * the agent in it, which writes a profile of each second; these become the
 * recording.
 */
#ifndef WICK_INSIDE_INSIDE_H
#define WICK_INSIDE_INSIDE_H

struct collect_options;
struct collect_result;
struct error;

/*
 * As collect(), for a program that is to be run.  What it cannot see: programs
 * that load no library (static ones, and those of Go), processes that are
 * forked without becoming another program, and when in its second a sample was
 * taken.
 */
int collect_inside(const struct collect_options *o, struct collect_result *ret,
		   struct error *err);

#endif /* WICK_INSIDE_INSIDE_H */

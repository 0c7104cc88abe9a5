/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_PPROF_H
#define WICK_PPROF_PPROF_H

struct arguments;
struct error;

/*
 * Does what the command line of "wick pprof" asks for: one report, or the
 * shell.  Returns 0, or a negative errno with err set.
 */
int pprof_run(const struct arguments *a, struct error *err);

#endif /* WICK_PPROF_PPROF_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_SHELL_H
#define WICK_PPROF_SHELL_H

struct config;
struct error;
struct profile;

/*
 * The prompt of "wick pprof": reads commands and answers them from the profile,
 * until it is left.  Starts with the options of config.  The profile is laid
 * out for many questions, and stays the same otherwise.  Returns 0 or a
 * negative errno with err set.
 */
int shell_run(struct profile *p, const struct config *config,
	      struct error *err);

#endif /* WICK_PPROF_SHELL_H */

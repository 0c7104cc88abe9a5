/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_GREETING_H
#define WICK_PPROF_GREETING_H

struct config;
struct profile;

/* Says what the shell is about to answer questions about. */
void greet(const struct profile *p, const struct config *config);

#endif /* WICK_PPROF_GREETING_H */

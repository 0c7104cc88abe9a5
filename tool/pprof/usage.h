/* SPDX-License-Identifier: MIT */
/* How the shell of "wick pprof" is used, written from the tables of rows. */
#ifndef WICK_PPROF_USAGE_H
#define WICK_PPROF_USAGE_H

struct sink;

/* Every command and option of the shell, for its "help". */
void usage_shell(struct sink *out);

#endif /* WICK_PPROF_USAGE_H */

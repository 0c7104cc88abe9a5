/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_RAW_H
#define WICK_REPORT_RAW_H

struct profile;
struct sink;

/*
 * Writes everything that is in p as text, as "wick pprof -raw" does.  The time
 * is given in the local zone.  Returns 0 or -ENOMEM; failures of out show when
 * it is flushed.
 */
int raw_write(const struct profile *p, struct sink *out);

#endif /* WICK_REPORT_RAW_H */

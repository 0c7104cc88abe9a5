/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_PERMIT_H
#define WICK_COLLECT_PERMIT_H

#include <stdbool.h>

struct error;
struct json;
struct sink;

/*
 * Says why perf_event_open() failed with code, and what would change it: the
 * exact setting or capability.  whole: of every process.  Returns code.
 */
int permit_explain(int code, bool whole, struct error *err);

/*
 * The ladder: what this machine permits this user, from the best on; why not,
 * and the command that would change it.  Changes nothing.
 */
void permit_write(struct sink *out);
void permit_json(struct json *j);

#endif /* WICK_COLLECT_PERMIT_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_TALK_H
#define WICK_PPROF_TALK_H

#include "base/span.h"

/*
 * Says something to the user as pprof does: a line on standard error with
 * nothing in front of it.  Each call is one write, so that lines of several
 * threads do not mix.  format is fmt.h's.
 */
void talk(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a text of any length; a newline is added if it has none. */
void talk_text(struct span text);

#endif /* WICK_PPROF_TALK_H */

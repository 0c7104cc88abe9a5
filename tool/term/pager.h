/* SPDX-License-Identifier: MIT */
/*
 * A pager for results longer than the screen: WICK_PAGER, else PAGER, else
 * less.  Used on a terminal only.
 */
#ifndef WICK_TERM_PAGER_H
#define WICK_TERM_PAGER_H

#include <stdbool.h>

#include "base/span.h"

/* false (--no-pager): pager_start() does nothing. */
void pager_allow(bool allow);

/*
 * Sends everything written to standard output from now on through the pager,
 * if standard output is a terminal and there is one.  Call it when the result
 * is ready, not before it is computed: from here on ^C is the pager's.
 */
void pager_start(void);

/*
 * Shows text in the pager and waits until the user has left it; standard output
 * stays what it is.  For programs that go on afterwards.  Returns false if
 * there is no pager, or standard output is no terminal: then print it.
 */
bool pager_show(struct span text);

/* True once standard output goes to a pager. */
bool pager_is_on(void);

/*
 * Closes standard output and waits until the user has left the pager; nothing
 * if none was started.  main() calls it before it exits.
 */
void pager_finish(void);

#endif /* WICK_TERM_PAGER_H */

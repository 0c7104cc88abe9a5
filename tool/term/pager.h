/* SPDX-License-Identifier: MIT */
/*
 * A pager for results longer than the screen: WICK_PAGER, else PAGER, else
 * less.  Used on a terminal only.
 */
#ifndef WICK_TERM_PAGER_H
#define WICK_TERM_PAGER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { PAGER_SIGNALS = 3 };

/* false (--no-pager): pager_start() does nothing. */
void pager_allow(bool allow);

/*
 * Sends everything written to standard output from now on through the pager,
 * if standard output is a terminal and there is one.  Call it when the result
 * is ready, not before it is computed: from here on ^C is the pager's.
 */
void pager_start(void);

/* The pager beside standard output, which stays what it is. */
struct pager_pipe {
	int fd; /* what is written here is shown */
	pid_t pid;
	struct sigaction old[PAGER_SIGNALS];
};

/*
 * Starts the pager for one text, for programs that go on afterwards.  Until
 * pager_close() ^C is the pager's, and writing to one that was quit is EPIPE
 * and no signal.  Returns false if there is no pager, or standard output is no
 * terminal: then print the text.
 */
bool pager_open(struct pager_pipe *p);

/* Ends the text and waits until the user has left the pager. */
void pager_close(struct pager_pipe *p);

/* True once standard output goes to a pager. */
bool pager_is_on(void);

/*
 * Closes standard output and waits until the user has left the pager; nothing
 * if none was started.  main() calls it before it exits.
 */
void pager_finish(void);

#endif /* WICK_TERM_PAGER_H */

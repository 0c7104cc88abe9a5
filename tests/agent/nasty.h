/* SPDX-License-Identifier: MIT */
/*
 * Programs that are hard on a profiler inside them, one for each way in which
 * such profilers have crashed or hung their hosts.  Each works for a moment,
 * checks that nothing went wrong, and prints "done".
 */
#ifndef WICK_TEST_NASTY_H
#define WICK_TEST_NASTY_H

#include <stdbool.h>
#include <stddef.h>

struct nasty {
	const char *name;
	int (*run)(char **arguments); /* 0: all is well */
};

/* Whether there is time left; a program works while there is. */
bool more(void);

/* Lasts longer than usual, or shorter. */
void lasts(double seconds);

/* Some work that takes about a microsecond a round. */
double burn(unsigned rounds);

/* Runs count threads and waits for them. */
void with_threads(unsigned count, void *(*run)(void *), void *context);

/* Says what went wrong; returns 1. */
int wrong(const char *what);

extern const struct nasty nasty_code[];	   /* code.c */
extern const struct nasty nasty_signals[]; /* handlers.c */
extern const struct nasty nasty_process[]; /* processes.c */
extern const struct nasty nasty_limits[];  /* limits.c */

#endif /* WICK_TEST_NASTY_H */

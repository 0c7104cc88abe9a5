/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_SIGNALS_H
#define WICK_COLLECT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct program;

/* The signals that end a recording, or say that its program has ended. */
struct signals {
	sigset_t old_mask;
	int fd; /* a signalfd */
	bool interrupted;
};

/* From now on they are read, not delivered; the process has one thread. */
void signals_watch(struct signals *s);
void signals_unwatch(struct signals *s);

/* Does what those say that have come; the program hears of them, too. */
void signals_take(struct signals *s, struct program *p);

/* Waits for the program's end, or for a signal. */
void signals_wait(struct signals *s, struct program *p);

#endif /* WICK_COLLECT_SIGNALS_H */

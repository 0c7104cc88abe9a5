/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_GUEST_H
#define WICK_AGENT_GUEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A thread of the agent's own in somebody else's process.  It blocks all
 * signals, has its own table of file descriptors (the host can neither close
 * ours nor run out of numbers because of them, and children do not inherit
 * them) and a stack of GUEST_STACK bytes.  It must never call malloc, nor
 * anything that takes a lock of libc's or of the loader's.
 *
 * Zeroed: not running.  It runs until run returns; there is no way to stop it
 * from outside.  After fork() the child has no such threads.
 */
struct guest {
	_Atomic uint32_t running; /* a futex: 1 from the start to the end */
	void (*run)(void *context);
	void *context;
	char name[16];	     /* as in /proc: "wick-http" */
	_Atomic int32_t tid; /* 0: not known yet */
};

enum {
	GUEST_STACK = 1 << 20,
	GUESTS_MAX = 8, /* that run at once */
};

/*
 * Starts run on a thread.  g must stay where it is.  No descriptor of the host
 * is open there: what the thread needs, sockets for instance, it opens itself.
 * Returns 0 or a negative errno.  Not for signal handlers: libc allocates the
 * new thread's local storage in the calling one.
 */
int guest_start(struct guest *g);

/* Waits until run has returned, at most millis; 0 or -ETIMEDOUT. */
int guest_wait(struct guest *g, unsigned millis);

/*
 * For a thread that somebody else made, with all signals blocked: it becomes
 * such a guest, and ceases to be one.
 */
void guest_enter(void);
void guest_exit(void);

/* Whether a thread is one of these. */
bool guest_is(int32_t tid);

/* The child of a fork has none. */
void guest_forget(void);

#endif /* WICK_AGENT_GUEST_H */

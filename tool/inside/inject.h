/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_INJECT_H
#define WICK_INSIDE_INJECT_H

#include <sys/types.h>

struct error;

/* What is to be loaded, and what it is told; paths as the process sees them. */
struct injection {
	pid_t pid;
	const char *library;
	const char *folder;
	unsigned hertz;
};

/*
 * Loads the agent into a process that runs, and has it record to the folder;
 * a library of ours that is there already is used again.  One thread of the
 * process is borrowed for a moment, to start another one; what it was waiting
 * for it goes on waiting for.  Returns 0 when samples are taken, or a negative
 * errno with a sentence; the process then goes on as it was.
 *
 * If we are killed meanwhile, so does it: whoever is sent somewhere comes back
 * by itself.  One that was stopped in epoll_wait(2) just then, or another of
 * the calls that the kernel does not make again, is told EINTR.
 */
int inject(const struct injection *i, struct error *err);

#endif /* WICK_INSIDE_INJECT_H */

/* SPDX-License-Identifier: MIT */
/*
 * Programs that leave signals to one thread block all of them in the others,
 * which then could not be sampled.  Where a profile was asked for from outside,
 * a thread that blocks everything still gets the agent's signal, of which the
 * program knows nothing.  Whoever blocks just that one means it.
 *
 * These may be called in signal handlers: they are the system call, and nothing
 * else, as libc's are.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/state.h"

#define PUBLIC __attribute__((visibility("default")))

enum {
	CANCEL = 32, /* libc's own, never to be blocked by programs */
	SETXID = 33,
	EVERYTHING = 24, /* so many signals at once are not chosen one by one */
};

static uint64_t bit(unsigned signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* What is blocked when a program asks for mask. */
static uint64_t adjusted(uint64_t mask)
{
	unsigned ours = agent.signal ? agent.signal : SIGURG;

	mask &= ~(bit(CANCEL) | bit(SETXID));
	if (agent.is_asked_for && __builtin_popcountll(mask) >= EVERYTHING)
		mask &= ~bit(ours);
	return mask;
}

/* 0 or a positive errno, which itself stays. */
static int change(int how, const sigset_t *set, sigset_t *old)
{
	int saved = errno;
	uint64_t mask = 0;
	long r;

	if (set)
		mask = *(const uint64_t *)set;
	if (how != SIG_UNBLOCK)
		mask = adjusted(mask);
	r = syscall(SYS_rt_sigprocmask, how, set ? &mask : NULL, old,
		    sizeof(mask));
	r = r < 0 ? errno : 0;
	errno = saved;
	return (int)r;
}

PUBLIC int pthread_sigmask(int how, const sigset_t *restrict set,
			   sigset_t *restrict old)
{
	return change(how, set, old);
}

PUBLIC int sigprocmask(int how, const sigset_t *restrict set,
		       sigset_t *restrict old)
{
	int r = change(how, set, old);

	if (!r)
		return 0;
	errno = r;
	return -1;
}

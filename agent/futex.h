/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a word of memory to change, without libc's locks: those may be
 * held by whatever a signal interrupted, and by nobody after fork().
 */
#ifndef WICK_AGENT_FUTEX_H
#define WICK_AGENT_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Sleeps while *word is value, at most nanos (0: no limit); may return early.
 */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t value,
			      uint64_t nanos)
{
	const struct timespec limit = {
		.tv_sec = (time_t)(nanos / 1000000000),
		.tv_nsec = (long)(nanos % 1000000000),
	};

	/* Whoever waits looks at the word again, whatever this returns. */
	(void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value,
		      nanos ? &limit : NULL, NULL, 0);
}

/* Wakes all who wait.  Safe in signal handlers, but for errno. */
static inline void futex_wake(_Atomic uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL,
		      NULL, 0);
}

/* A lock for moments when no handler can want it. */
static inline void futex_lock(_Atomic uint32_t *lock)
{
	uint32_t free = 0;

	if (atomic_compare_exchange_strong_explicit(
		    lock, &free, 1, memory_order_acquire, memory_order_relaxed))
		return;
	/* Pairs with the release in futex_unlock(). */
	while (atomic_exchange_explicit(lock, 2, memory_order_acquire))
		futex_wait(lock, 2, 0);
}

static inline void futex_unlock(_Atomic uint32_t *lock)
{
	if (atomic_exchange_explicit(lock, 0, memory_order_release) == 2)
		futex_wake(lock);
}

#endif /* WICK_AGENT_FUTEX_H */

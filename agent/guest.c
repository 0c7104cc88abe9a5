/* SPDX-License-Identifier: MIT */
/*
 * Threads of the agent's own.  They are made with pthread_create(), not with
 * clone(): libc functions need a thread's local storage, setuid() must reach
 * all threads of a process, and debuggers and sanitizers know such threads.
 * The price is that the one who starts a thread may enter malloc; so threads
 * are started by calls of the host and never by a handler or by one another.
 */
#include "agent/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/futex.h"

/* Who is a guest: not to be profiled.  Slots of those that ended are 0. */
static _Atomic int32_t tids[GUESTS_MAX];

bool guest_is(int32_t tid)
{
	for (unsigned i = 0; i < GUESTS_MAX; i++)
		if (atomic_load_explicit(&tids[i], memory_order_relaxed) == tid)
			return true;
	return false;
}

void guest_forget(void)
{
	for (unsigned i = 0; i < GUESTS_MAX; i++)
		atomic_store_explicit(&tids[i], 0, memory_order_relaxed);
}

static void replace_tid(int32_t from, int32_t to)
{
	for (unsigned i = 0; i < GUESTS_MAX; i++) {
		int32_t old = from;

		if (atomic_compare_exchange_strong_explicit(
			    &tids[i], &old, to, memory_order_relaxed,
			    memory_order_relaxed))
			return;
	}
}

/* Kernels before 5.9: the table is copied and emptied by hand. */
static void close_one_by_one(void)
{
	const int most = 4096;

	if (unshare(CLONE_FILES) < 0)
		return;
	for (int fd = 0; fd < most; fd++)
		close(fd);
}

/*
 * A table of descriptors of its own, empty.  A copy would keep the host's
 * sockets and pipes open after the host has closed them.
 */
static void leave_descriptors(void)
{
	if (syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE) < 0)
		close_one_by_one();
	/* Numbers 0 to 2 are taken, so that no file of ours is "stdout". */
	(void)open("/dev/null", O_RDWR);
	(void)open("/dev/null", O_RDWR);
	(void)open("/dev/null", O_RDWR);
}

void guest_enter(void)
{
	replace_tid(0, (int32_t)gettid());
	leave_descriptors();
}

void guest_exit(void)
{
	replace_tid((int32_t)gettid(), 0);
}

static void *guest_main(void *context)
{
	struct guest *g = context;

	replace_tid(0, (int32_t)gettid());
	atomic_store_explicit(&g->tid, (int32_t)gettid(), memory_order_release);
	futex_wake((_Atomic uint32_t *)&g->tid);
	/* A name is for people who look; it may fail. */
	(void)prctl(PR_SET_NAME, g->name);
	leave_descriptors();
	g->run(g->context);
	replace_tid((int32_t)gettid(), 0);
	/* Pairs with the load in guest_wait(). */
	atomic_store_explicit(&g->running, 0, memory_order_release);
	futex_wake(&g->running);
	return NULL;
}

/* By system call: our own library has a say in masks that block all. */
static void set_mask(const uint64_t *mask, uint64_t *before)
{
	/* It cannot fail: the mask is there, and what to do is known. */
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, before,
		      sizeof(*mask));
}

static int create(struct guest *g, const pthread_attr_t *attr)
{
	/* All but the two that libc needs for cancelling and setuid(). */
	const uint64_t all = ~(UINT64_C(3) << 31);
	uint64_t before;
	pthread_t thread;
	int r;

	set_mask(&all, &before);
	r = pthread_create(&thread, attr, guest_main, g);
	set_mask(&before, NULL);
	return -r;
}

int guest_start(struct guest *g)
{
	pthread_attr_t attr;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, GUEST_STACK);
	atomic_store_explicit(&g->running, 1, memory_order_relaxed);
	atomic_store_explicit(&g->tid, 0, memory_order_relaxed);
	r = create(g, &attr);
	pthread_attr_destroy(&attr);
	if (r < 0) {
		atomic_store_explicit(&g->running, 0, memory_order_relaxed);
		return r;
	}
	/* Until it says who it is, it would be taken for a host's thread. */
	while (!atomic_load_explicit(&g->tid, memory_order_acquire))
		futex_wait((_Atomic uint32_t *)&g->tid, 0, 0);
	return 0;
}

int guest_wait(struct guest *g, unsigned millis)
{
	const uint64_t step = 10000000;

	for (uint64_t left = (uint64_t)millis * 1000000;;) {
		/* Pairs with the store in guest_main(). */
		if (!atomic_load_explicit(&g->running, memory_order_acquire))
			return 0;
		if (!left)
			return -ETIMEDOUT;
		futex_wait(&g->running, 1, left < step ? left : step);
		left -= left < step ? left : step;
	}
}

/* SPDX-License-Identifier: MIT */
/* Signals of the host's own, and system calls that they interrupt. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "nasty.h"
#include "wick.h"

#pragma weak wick_stats

static _Atomic unsigned mine; /* signals that the host's handlers got */

static void count_signal(int signal)
{
	(void)signal;
	mine++;
}

static struct wick_stats stats(void)
{
	struct wick_stats s = { .size = sizeof(s) };

	if (wick_stats)
		wick_stats(&s);
	return s;
}

/* R6: the host takes the signal that is used for itself, in the middle. */
static int takes_signal(char **arguments)
{
	const struct itimerval often = { .it_interval.tv_usec = 10000,
					 .it_value.tv_usec = 10000 };
	int taken = stats().signal;
	unsigned late;

	(void)arguments;
	burn(20000);
	signal(SIGPROF, count_signal);
	signal(taken, count_signal);
	setitimer(ITIMER_PROF, &often, NULL);
	lasts(1.5);
	while (more())
		burn(100);
	late = mine;
	lasts(0.3);
	while (more())
		burn(100);
	if (mine <= late)
		return wrong("the host's own timer has stopped");
	if (wick_stats && !stats().conflicts)
		return wrong("nobody noticed");
	if (wick_stats && stats().signal == taken)
		return wrong("the signal was not given up");
	return 0;
}

/* R6: handlers are put in place and taken away all the time. */
static int swaps_handlers(char **arguments)
{
	struct sigaction old, own = { .sa_handler = count_signal };

	(void)arguments;
	while (more()) {
		sigaction(SIGURG, &own, &old);
		burn(5);
		sigaction(SIGURG, &old, NULL);
		burn(100);
	}
	return 0;
}

/* R6: signals from outside that are not ours. */
static int others_signals(char **arguments)
{
	struct sigaction set = { .sa_handler = count_signal };

	(void)arguments;
	sigaction(SIGUSR1, &set, NULL);
	for (unsigned i = 0; i < 200; i++) {
		kill(getpid(), SIGUSR1);
		burn(100);
	}
	return mine == 200 ? 0 : wrong("a signal of the host's was lost");
}

/* R12: a handler of SIGSEGV that allocates, as compilers at run time have. */
static char *trap;
static unsigned faults;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if ((char *)info->si_addr != trap)
		_exit(3);
	free(malloc(100));
	faults++;
	mprotect(trap, 4096, PROT_READ | PROT_WRITE);
}

static int faulting(char **arguments)
{
	struct sigaction set = { .sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO };
	unsigned rounds = 0;

	(void)arguments;
	trap = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &set, NULL);
	while (more()) {
		*(volatile char *)trap = 1;
		burn(5);
		mprotect(trap, 4096, PROT_NONE);
		rounds++;
	}
	return faults == rounds ? 0 : wrong("faults were lost");
}

/* R8: a signal within a signal on a small stack of its own. */
static sigjmp_buf leave;

static void on_small_stack(int signal)
{
	(void)signal;
	burn(3000);
	siglongjmp(leave, 1);
}

static int small_stack(char **arguments)
{
	const size_t size = 16384;
	const stack_t stack = { .ss_sp = malloc(size), .ss_size = size };
	struct sigaction set = { .sa_handler = on_small_stack,
				 .sa_flags = SA_ONSTACK };

	(void)arguments;
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &set, NULL);
	while (more())
		if (!sigsetjmp(leave, 1))
			raise(SIGSEGV);
	return 0;
}

/* R28: samples within another handler. */
__attribute__((noinline)) static void in_handler(int signal)
{
	(void)signal;
	burn(2000);
	mine++;
}

static int within_handler(char **arguments)
{
	(void)arguments;
	signal(SIGUSR1, in_handler);
	while (more())
		raise(SIGUSR1);
	return mine ? 0 : wrong("no handler ran");
}

/*
 * R23: threads that wait must not be woken.  One that is just about to wait
 * still runs, and may be: once for each millisecond that it has run, which is
 * one or two in all, where one that was woken from its waits would be most of
 * the time.
 */
static _Atomic unsigned woken;

static unsigned millis_run(void)
{
	struct timespec run;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &run);
	return (unsigned)(run.tv_sec * 1000 + run.tv_nsec / 1000000);
}

static void *waits(void *context)
{
	int fd = epoll_create1(0);
	struct epoll_event event;
	struct pollfd none = { .fd = -1 };
	struct timespec left;
	unsigned interrupted = 0, allowed;

	(void)context;
	while (more()) {
		const struct timespec nap = { .tv_nsec = 50000000 };

		interrupted += poll(&none, 1, 50) < 0;
		interrupted += epoll_wait(fd, &event, 1, 50) < 0;
		interrupted += nanosleep(&nap, &left) < 0;
	}
	close(fd);
	allowed = 1 + millis_run();
	if (interrupted > allowed)
		woken += interrupted - allowed;
	return NULL;
}

static void *burns(void *context)
{
	(void)context;
	while (more())
		burn(100);
	return NULL;
}

static int waiting(char **arguments)
{
	pthread_t thread[4];

	(void)arguments;
	lasts(1);
	for (unsigned i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, waits, NULL);
	pthread_create(&thread[3], NULL, burns, NULL);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return woken ? wrong("a call was interrupted") : 0;
}

/* R7: errno, and calls that restart, as they should. */
static int keeps_errno(char **arguments)
{
	int ends[2];
	char byte;

	(void)arguments;
	if (pipe(ends) < 0)
		return wrong("no pipe");
	while (more()) {
		errno = 1234;
		burn(50);
		if (errno != 1234)
			return wrong("errno was changed");
		if (write(ends[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1)
			return wrong("a read was interrupted");
	}
	return 0;
}

/* A thread that blocks everything and waits for whatever comes. */
static void *takes_all(void *context)
{
	sigset_t all;
	siginfo_t info;
	const struct timespec soon = { .tv_nsec = 20000000 };

	(void)context;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (more()) {
		burn(2000);
		if (sigtimedwait(&all, &info, &soon) == SIGTERM)
			mine++;
	}
	return NULL;
}

static int blocks_all(char **arguments)
{
	(void)arguments;
	lasts(1);
	with_threads(2, takes_all, NULL);
	return 0;
}

/* A program that leaves all signals to one thread; the others work. */
static int blocks_early(char **arguments)
{
	sigset_t all, now;
	struct timespec soon = { .tv_sec = 1 };
	pthread_t thread[2];

	(void)arguments;
	lasts(1);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	if (sigismember(&now, SIGTERM) != 1 || sigismember(&now, SIGUSR1) != 1)
		return wrong("signals are not blocked");
	for (unsigned i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, burns, NULL);
	raise(SIGTERM);
	if (sigtimedwait(&all, NULL, &soon) != SIGTERM)
		return wrong("the signal did not come");
	for (unsigned i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

const struct nasty nasty_signals[] = {
	{ "takes-signal", takes_signal },
	{ "swaps-handlers", swaps_handlers },
	{ "others-signals", others_signals },
	{ "faulting", faulting },
	{ "small-stack", small_stack },
	{ "within-handler", within_handler },
	{ "waiting", waiting },
	{ "keeps-errno", keeps_errno },
	{ "blocks-all", blocks_all },
	{ "blocks-early", blocks_early },
	{ 0 },
};

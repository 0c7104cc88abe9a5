/* SPDX-License-Identifier: MIT */
/*
 * A program to be asked for profiles, which knows the answer: of the CPU time
 * of its thread "worker", three quarters are spent in spend_three() and one in
 * spend_one(), most of that in what is inlined there.  Another thread waits,
 * and counts each time that something disturbs it.
 *
 * Its threads get their names with a line of its standard input.  It ends with
 * that, and prints how much it has done, how often it was disturbed, and
 * whether what it computed was right.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 20000 };

static atomic_bool done;
static atomic_ulong rounds;
static atomic_ulong wrong;
static atomic_ulong disturbed;
static int quiet[2]; /* a pipe that nobody writes to */

static uint64_t cpu_nanos(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline __attribute__((always_inline)) uint64_t mix_inlined(uint64_t x)
{
	for (int i = 0; i < STEPS; i++)
		x = (x ^ x >> 27) * 0x9e3779b97f4a7c15u;
	return x;
}

__attribute__((noinline)) static uint64_t spend_three(uint64_t x)
{
	uint64_t end = cpu_nanos() + 3210000;

	while (cpu_nanos() < end)
		for (int i = 0; i < STEPS; i++)
			x = (x ^ x >> 31) * 0xd6e8feb86659fd93u;
	return x;
}

__attribute__((noinline)) static uint64_t spend_one(uint64_t x)
{
	uint64_t end = cpu_nanos() + 1070000;

	while (cpu_nanos() < end)
		x = mix_inlined(x);
	return x;
}

/* The same sum again and again, which nothing may change. */
__attribute__((noinline)) static uint64_t fixed_sum(void)
{
	double sum = 0;

	for (int i = 1; i < 1000; i++)
		sum += 1.0 / i;
	return (uint64_t)(sum * 1e12);
}

static void *work(void *context)
{
	uint64_t x = 1;
	uint64_t right = fixed_sum();

	(void)context;
	while (!done) {
		x = spend_three(x);
		x = spend_one(x);
		wrong += fixed_sum() != right;
		rounds++;
	}
	return (void *)(uintptr_t)x;
}

static void *wait_quietly(void *context)
{
	struct pollfd p = { .fd = quiet[0], .events = POLLIN };

	(void)context;
	while (!done) {
		int n = poll(&p, 1, -1);

		disturbed += !done && (n < 0 || !(p.revents & POLLHUP));
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	char line[16];

	if (pipe(quiet) < 0 || pthread_create(&threads[0], NULL, work, NULL) ||
	    pthread_create(&threads[1], NULL, wait_quietly, NULL))
		return 1;
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	/* Each line gives the threads their names, at last. */
	while (read(STDIN_FILENO, line, sizeof(line)) > 0) {
		pthread_setname_np(threads[0], "worker");
		pthread_setname_np(threads[1], "waiter");
		printf("named\n");
		fflush(stdout);
	}
	done = true;
	close(quiet[1]);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("rounds %lu wrong %lu disturbed %lu\n", rounds, wrong,
	       disturbed);
	return 0;
}

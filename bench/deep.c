/* SPDX-License-Identifier: MIT */
/*
 * A fixed amount of work under sixty calls in several threads, for
 * measurements of recorders:
 *
 *	deep [ROUNDS [THREADS]]
 *
 * Prints the CPU seconds that it took.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { DEPTH = 58, THREADS_MAX = 64 };

static volatile uint64_t sum;
static unsigned long rounds = 2000000;

static __attribute__((noinline)) uint64_t compute(uint64_t x)
{
	uint64_t s = x;

	for (int i = 0; i < 300; i++)
		s = s * 6364136223846793005u + (uint64_t)i;
	return s;
}

/* The barrier keeps the call from becoming a loop. */
static __attribute__((noinline)) uint64_t descend(unsigned depth, uint64_t x)
{
	uint64_t s = depth ? descend(depth - 1, x + depth) : compute(x);

	__asm__ volatile("" ::: "memory");
	return s + x;
}

static void *work(void *context)
{
	(void)context;
	for (unsigned long i = 0; i < rounds; i++)
		sum += descend(DEPTH, i);
	return NULL;
}

static double in_seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int count = argc > 2 ? atoi(argv[2]) : 4;
	struct rusage used;

	if (argc > 1)
		rounds = strtoul(argv[1], NULL, 10);
	if (count < 1 || count > THREADS_MAX)
		return 2;
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	getrusage(RUSAGE_SELF, &used);
	printf("%.6f\n", in_seconds(used.ru_utime) + in_seconds(used.ru_stime));
	return 0;
}

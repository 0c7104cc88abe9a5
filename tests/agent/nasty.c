/* SPDX-License-Identifier: MIT */
/* See nasty.h: what the programs share, and the choice of one. */
#include "nasty.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double until;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void lasts(double seconds)
{
	until = now() + seconds;
}

bool more(void)
{
	return now() < until;
}

__attribute__((noinline)) double burn(unsigned rounds)
{
	volatile double x = 1;

	for (unsigned i = 0; i < rounds; i++)
		for (unsigned k = 0; k < 300; k++)
			x = x * 1.0000001 + 0.5;
	return x;
}

void with_threads(unsigned count, void *(*run)(void *), void *context)
{
	pthread_t *thread = calloc(count, sizeof(*thread));
	unsigned started = 0;

	while (started < count &&
	       pthread_create(&thread[started], NULL, run, context) == 0)
		started++;
	while (started)
		pthread_join(thread[--started], NULL);
	free(thread);
}

int wrong(const char *what)
{
	fprintf(stderr, "wrong: %s\n", what);
	return 1;
}

static const struct nasty *find(const struct nasty *list, const char *name)
{
	while (list->name && strcmp(list->name, name) != 0)
		list++;
	return list->name ? list : NULL;
}

int main(int argc, char **argv)
{
	static const struct nasty *const lists[] = { nasty_code, nasty_signals,
						     nasty_process,
						     nasty_limits };
	const struct nasty *n = NULL;

	for (unsigned i = 0; argc > 1 && !n && i < 4; i++)
		n = find(lists[i], argv[1]);
	if (!n)
		return wrong("no such program");
	lasts(0.5);
	if (n->run(argv + 2))
		return 1;
	puts("done");
	return 0;
}

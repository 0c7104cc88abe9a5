/* SPDX-License-Identifier: MIT */
/*
 * A program that is entered while it runs: threads that wait in every way that
 * programs wait, or are where no thread may be borrowed.  Each checks that
 * nothing has happened to it.  It ends with its standard input.
 *
 * usage: visited KIND... [library=FILE] [alone]
 *
 * With "alone" the first thread is of the last kind, and who waits for the end
 * does so where nobody borrows it: in a function that libc calls back.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"

enum { MILLIS = 1000000, SHORT = 20, THREADS_MAX = 32 };

void heavy(void);
void light(void);

static atomic_bool ending;
static atomic_ulong rounds[THREADS_MAX];
static const char *library;
static _Thread_local unsigned self;
static volatile unsigned long sum;

static void complain(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static bool goes_on(void)
{
	rounds[self]++;
	return !ending;
}

__attribute__((noinline)) void heavy(void)
{
	for (unsigned i = 0; i < 70000; i++)
		sum += i;
}

__attribute__((noinline)) void light(void)
{
	for (unsigned i = 0; i < 30000; i++)
		sum += i;
}

static void spin(void)
{
	while (goes_on()) {
		errno = EXDEV;
		heavy();
		light();
		if (errno != EXDEV)
			complain("errno has changed");
	}
}

/* Vector registers that hold the same in each round. */
static void reckon(void)
{
	double first = 0;

	while (goes_on()) {
		double a = 1, b = 2, c = 3, d = 4;

		for (unsigned i = 1; i < 50000; i++) {
			a += 1.0 / i;
			b -= a / (i + 1.0);
			c += b * 1e-3;
			d += c - a;
		}
		if (first != 0 && a + b + c + d != first)
			complain("registers have changed");
		first = a + b + c + d;
	}
}

static void allocate(void)
{
	void *kept[64] = { 0 };
	unsigned seed = self;

	while (goes_on()) {
		for (unsigned i = 0; i < 1000; i++) {
			unsigned slot = (unsigned)rand_r(&seed) % 64;

			free(kept[slot]);
			kept[slot] = malloc((size_t)rand_r(&seed) % 5000 + 1);
			if (!kept[slot])
				complain("malloc");
			memset(kept[slot], 1, 1);
		}
	}
	for (unsigned i = 0; i < 64; i++)
		free(kept[i]);
}

static void load(void)
{
	while (goes_on()) {
		void *handle = dlopen(library, RTLD_NOW);

		if (!handle)
			complain(dlerror());
		dlclose(handle);
	}
}

static void wait_nanosleep(void)
{
	const struct timespec t = { .tv_nsec = SHORT * MILLIS };

	while (goes_on())
		if (nanosleep(&t, NULL) < 0)
			complain("nanosleep");
}

static void wait_long(void)
{
	const struct timespec t = { .tv_sec = 1 };
	struct timespec before, after;

	while (goes_on()) {
		clock_gettime(CLOCK_MONOTONIC, &before);
		if (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL))
			complain("clock_nanosleep");
		clock_gettime(CLOCK_MONOTONIC, &after);
		if (after.tv_sec == before.tv_sec)
			complain("clock_nanosleep was short");
	}
}

static void wait_epoll(void)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;

	while (goes_on())
		if (epoll_wait(fd, &event, 1, SHORT) != 0)
			complain("epoll_wait");
	close(fd);
}

static void wait_poll(void)
{
	while (goes_on())
		if (poll(NULL, 0, SHORT) != 0)
			complain("poll");
}

static void wait_select(void)
{
	while (goes_on()) {
		struct timeval t = { .tv_usec = SHORT * 1000 };

		if (select(0, NULL, NULL, NULL, &t) != 0)
			complain("select");
	}
}

/* Bytes that another thread of its own sends now and then. */
static void *send_bytes(void *fd)
{
	const struct timespec t = { .tv_nsec = SHORT * MILLIS };

	while (!ending) {
		nanosleep(&t, NULL);
		if (write(*(int *)fd, "x", 1) != 1)
			complain("write");
	}
	return NULL;
}

static void wait_read(void)
{
	pthread_t sender;
	char byte;
	int ends[2];

	if (pipe(ends) < 0 ||
	    pthread_create(&sender, NULL, send_bytes, &ends[1]))
		complain("pipe");
	while (goes_on())
		if (read(ends[0], &byte, 1) != 1)
			complain("read");
	pthread_join(sender, NULL);
}

/* The kernel says EINTR here whenever it is woken. */
static void wait_receive(void)
{
	const struct timeval patience = { .tv_sec = 10 };
	pthread_t sender;
	char byte;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 ||
	    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)) < 0 ||
	    pthread_create(&sender, NULL, send_bytes, &ends[1]))
		complain("socketpair");
	while (goes_on())
		if (recv(ends[0], &byte, 1, 0) != 1)
			complain("recv");
	pthread_join(sender, NULL);
}

static void wait_semaphore(void)
{
	sem_t s;

	sem_init(&s, 0, 0);
	while (goes_on()) {
		struct timespec t;

		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += SHORT * MILLIS;
		t.tv_sec += t.tv_nsec / (1000 * MILLIS);
		t.tv_nsec %= 1000 * MILLIS;
		if (sem_timedwait(&s, &t) == 0 || errno != ETIMEDOUT)
			complain("sem_timedwait");
	}
}

static void wait_condition(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&lock);
	while (goes_on()) {
		struct timespec t;

		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_sec += 1;
		if (pthread_cond_timedwait(&changed, &lock, &t) != ETIMEDOUT)
			complain("pthread_cond_timedwait");
	}
}

static const struct kind {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "spin", spin },
	{ "reckon", reckon },
	{ "allocate", allocate },
	{ "load", load },
	{ "nanosleep", wait_nanosleep },
	{ "long", wait_long },
	{ "epoll", wait_epoll },
	{ "poll", wait_poll },
	{ "select", wait_select },
	{ "read", wait_read },
	{ "receive", wait_receive },
	{ "semaphore", wait_semaphore },
	{ "condition", wait_condition },
};

struct start {
	const struct kind *kind;
	unsigned number;
	pthread_t thread;
};

static void *run(void *context)
{
	const struct start *s = context;

	self = s->number;
	s->kind->run();
	return NULL;
}

static const struct kind *find(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	printf("what is %s?\n", name);
	exit(2);
}

/* The first thread waits for the end. */
static void wait_end(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1)
		;
	ending = true;
}

static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	wait_end();
	return 0;
}

static void *wait_aside(void *context)
{
	char two[2] = "ab";

	(void)context;
	qsort(two, 2, 1, compare);
	return NULL;
}

static struct start starts[THREADS_MAX];

static void say_ready(void)
{
	printf("ready\n");
	fflush(stdout);
}

static void join_all(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		pthread_join(starts[i].thread, NULL);
		if (rounds[i] < 2)
			printf("%s did nothing\n", starts[i].kind->name);
	}
}

static void run_all(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pthread_create(&starts[i].thread, NULL, run, &starts[i]);
	say_ready();
	wait_end();
	join_all(count);
}

static void run_alone(unsigned count)
{
	pthread_t aside;

	pthread_create(&aside, NULL, wait_aside, NULL);
	say_ready();
	run(&starts[count - 1]);
	pthread_join(aside, NULL);
}

int main(int argc, char **argv)
{
	unsigned count = 0;
	bool alone = false;

	for (int i = 1; i < argc && count < THREADS_MAX; i++) {
		if (!strncmp(argv[i], "library=", 8)) {
			library = argv[i] + 8;
		} else if (!strcmp(argv[i], "alone")) {
			alone = true;
		} else {
			starts[count] = (struct start){ .kind = find(argv[i]),
							.number = count };
			count++;
		}
	}
	if (alone)
		run_alone(count);
	else
		run_all(count);
	printf("done\n");
	return 0;
}

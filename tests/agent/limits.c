/* SPDX-License-Identifier: MIT */
/*
 * Starting and stopping under load, leaks, limits, and the host's allocator at
 * its worst moment.  These use the API, so they link libwick.a or are run with
 * the shared library.
 */
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "nasty.h"
#include "wick.h"

#pragma weak wick_cpu_start
#pragma weak wick_cpu_stop_file
#pragma weak wick_cpu_stop_memory
#pragma weak wick_cpu_profile
#pragma weak wick_cpu_cancel
#pragma weak wick_free
#pragma weak wick_label_set
#pragma weak wick_label_clear
#pragma weak wick_stats
#pragma weak wick_threads

static _Atomic bool stop;

static void *short_life(void *context)
{
	(void)context;
	burn(200);
	return NULL;
}

static void *makes_threads(void *context)
{
	while (!stop)
		with_threads(4, short_life, context);
	return NULL;
}

static unsigned count_entries(const char *path)
{
	DIR *folder = opendir(path);
	unsigned count = 0;

	while (folder && readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static unsigned count_timers(void)
{
	FILE *f = fopen("/proc/self/timers", "r");
	unsigned count = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		count += !strncmp(line, "ID:", 3);
	if (f)
		fclose(f);
	return count;
}

static long resident(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * 4;
}

static int cycle(unsigned times, unsigned hz)
{
	const struct wick_options o = { .size = sizeof(o),
					.hz = hz,
					.no_symbols = 1 };

	for (unsigned i = 0; i < times; i++) {
		int r = wick_cpu_start(&o);

		if (r < 0)
			return r;
		if (i % 100 == 0)
			burn(1000);
		r = wick_cpu_cancel();
		if (r < 0)
			return r;
	}
	return 0;
}

static _Atomic unsigned ticks;

static void on_user_signal(int signal)
{
	(void)signal;
	ticks++;
}

static int check_leaks(unsigned fds, unsigned timers, long kib)
{
	char text[100];

	if (count_entries("/proc/self/fd") != fds)
		return wrong("descriptors leak");
	if (count_timers() != timers)
		return wrong("timers leak");
	if (resident() > kib + 8192) {
		snprintf(text, sizeof(text), "memory leaks: %ld, then %ld KiB",
			 kib, resident());
		return wrong(text);
	}
	return 0;
}

/* R4, R5: start and stop, thousands of times, while threads come and go. */
static int start_stop(char **arguments)
{
	unsigned times = arguments[0] ? (unsigned)atoi(arguments[0]) : 1000;
	bool plain = arguments[0] && arguments[1];
	pthread_t thread[4];
	unsigned fds, timers;
	long kib;
	int bad;

	if (!wick_cpu_start)
		return wrong("no libwick");
	/* Left alone, a signal that comes too late ends the process. */
	if (!plain)
		signal(SIGPROF, on_user_signal);
	signal(SIGUSR2, on_user_signal);
	for (unsigned i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, makes_threads, NULL);
	if (cycle(50, 1000) < 0)
		return wrong("it does not start");
	fds = count_entries("/proc/self/fd");
	timers = count_timers();
	kib = resident();
	if (cycle(times, 1000) < 0 || cycle(times / 10, 100) < 0)
		return wrong("it does not start again");
	bad = check_leaks(fds, timers, kib);
	raise(plain ? SIGUSR2 : SIGPROF);
	raise(SIGUSR2);
	stop = true;
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	burn(50000);
	if (ticks != 2)
		return wrong("the host's handlers are gone");
	return bad;
}

static uint64_t cpu_nanos(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* CPU time of a thread, while it certainly was profiled and at most. */
struct used {
	pthread_t thread;
	int tid;
	sem_t may_end;
	uint64_t least;
	uint64_t most;
};

/* Threads that use CPU time in different amounts, and note how much. */
struct crowd {
	pthread_barrier_t together;
	unsigned count;
	_Atomic unsigned turn;
	struct used used[65]; /* the last one's is the first thread's */
};

static void *uses_cpu(void *context)
{
	struct crowd *c = context;
	unsigned number = c->turn++;
	struct used *u = &c->used[number];
	uint64_t wanted = (uint64_t)(c->count < 64 ? 400 : 1200) * 1000000 *
			  (1 + number % 3) / c->count;
	uint64_t start;

	u->thread = pthread_self();
	u->tid = gettid();
	pthread_barrier_wait(&c->together);
	pthread_barrier_wait(&c->together);
	start = cpu_nanos(CLOCK_THREAD_CPUTIME_ID);
	while (u->least < wanted) {
		burn(20);
		u->least = cpu_nanos(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	pthread_barrier_wait(&c->together);
	sem_wait(&u->may_end);
	u->most = cpu_nanos(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

/* What the first thread does while the others work. */
static int leads(struct crowd *c, const char *path)
{
	const struct wick_options o = { .size = sizeof(o), .hz = 1000 };
	struct used *u = &c->used[c->count];
	uint64_t before = path ? cpu_nanos(CLOCK_THREAD_CPUTIME_ID) : 0;
	uint64_t start;

	u->tid = gettid();
	pthread_barrier_wait(&c->together);
	/* Who profiles from outside sees new threads after a moment. */
	if (!path)
		usleep(200000);
	else if (wick_cpu_start(&o) < 0)
		return wrong("it does not start");
	start = cpu_nanos(CLOCK_THREAD_CPUTIME_ID);
	pthread_barrier_wait(&c->together);
	pthread_barrier_wait(&c->together);
	u->least = cpu_nanos(CLOCK_THREAD_CPUTIME_ID) - start;
	if (path && wick_cpu_stop_file(path) < 0)
		return wrong("it does not stop");
	u->most = cpu_nanos(CLOCK_THREAD_CPUTIME_ID) - before;
	return 0;
}

/* One by one: together they would spin for what is the process's. */
static void end_all(struct crowd *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		sem_post(&c->used[i].may_end);
		pthread_join(c->used[i].thread, NULL);
	}
}

/* With a second argument it profiles itself, to that file. */
static int shares(char **arguments)
{
	struct crowd c = { .count = (unsigned)atoi(arguments[0]) };
	pthread_t thread;
	int r;

	pthread_barrier_init(&c.together, NULL, c.count + 1);
	for (unsigned i = 0; i < c.count; i++)
		sem_init(&c.used[i].may_end, 0, 0);
	for (unsigned i = 0; i < c.count; i++)
		pthread_create(&thread, NULL, uses_cpu, &c);
	r = leads(&c, arguments[1]);
	if (r)
		return r;
	end_all(&c);
	for (unsigned i = 0; i <= c.count; i++)
		printf("thread %d %llu %llu\n", c.used[i].tid,
		       (unsigned long long)c.used[i].least,
		       (unsigned long long)c.used[i].most);
	return 0;
}

/* Two profiles at once, of different rates and lengths. */
static uint64_t short_cpu;
static clockid_t busy; /* CPU time of the thread that works */

static void *profiles_shortly(void *context)
{
	const struct wick_options o = { .size = sizeof(o), .hz = 1000 };
	uint64_t start;
	void *data;
	size_t size;
	FILE *f;

	usleep(300000);
	start = cpu_nanos(busy);
	if (wick_cpu_profile(&o, 0.5, &data, &size) < 0)
		return NULL;
	short_cpu = cpu_nanos(busy) - start;
	f = fopen(context, "w");
	fwrite(data, 1, size, f);
	fclose(f);
	wick_free(data, size);
	return NULL;
}

static int overlap(char **arguments)
{
	const struct wick_options o = { .size = sizeof(o), .hz = 100 };
	pthread_t thread;
	uint64_t start;

	pthread_getcpuclockid(pthread_self(), &busy);
	if (wick_cpu_start(&o) < 0)
		return wrong("it does not start");
	start = cpu_nanos(busy);
	pthread_create(&thread, NULL, profiles_shortly, arguments[1]);
	lasts(2);
	while (more())
		burn(100);
	printf("long %llu\n", (unsigned long long)(cpu_nanos(busy) - start));
	if (wick_cpu_stop_file(arguments[0]) < 0)
		return wrong("it does not stop");
	pthread_join(thread, NULL);
	printf("short %llu\n", (unsigned long long)short_cpu);
	return 0;
}

/* R30: the allocator's lock is held while the profile is made. */
static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool heap_is_held;

static void *holds_heap(void *context)
{
	(void)context;
	pthread_mutex_lock(&heap_lock);
	heap_is_held = true;
	while (!stop)
		burn(10);
	pthread_mutex_unlock(&heap_lock);
	return NULL;
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

/* The program's own malloc: it waits for the lock, as any would. */
void *malloc(size_t size)
{
	void *p;

	if (!heap_is_held)
		return __libc_malloc(size);
	pthread_mutex_lock(&heap_lock);
	p = __libc_malloc(size);
	pthread_mutex_unlock(&heap_lock);
	return p;
}

void *calloc(size_t count, size_t size)
{
	void *p;

	if (!heap_is_held)
		return __libc_calloc(count, size);
	pthread_mutex_lock(&heap_lock);
	p = __libc_calloc(count, size);
	pthread_mutex_unlock(&heap_lock);
	return p;
}

static int heap_held(char **arguments)
{
	pthread_t thread;
	void *data;
	size_t size;

	(void)arguments;
	if (!wick_cpu_start)
		return wrong("no libwick");
	if (wick_cpu_start(NULL) < 0 || wick_cpu_stop_memory(&data, &size) < 0)
		return wrong("it does not start");
	wick_free(data, size);
	wick_cpu_start(NULL);
	pthread_create(&thread, NULL, holds_heap, NULL);
	while (!heap_is_held)
		usleep(1000);
	burn(100000);
	if (wick_cpu_stop_memory(&data, &size) < 0)
		return wrong("it does not stop");
	wick_free(data, size);
	stop = true;
	pthread_join(thread, NULL);
	return 0;
}

/* R31: profiling leaves the host's heap alone, and little behind. */
static int memory(char **arguments)
{
	struct mallinfo2 before, after;
	void *data;
	size_t size;
	long kib;

	(void)arguments;
	if (!wick_cpu_start)
		return wrong("no libwick");
	/* What the start of a thread costs, and stdio, is paid for. */
	wick_cpu_start(NULL);
	if (wick_cpu_stop_memory(&data, &size) == 0)
		wick_free(data, size);
	kib = resident();
	before = mallinfo2();
	for (unsigned i = 0; i < 5; i++) {
		wick_cpu_start(NULL);
		burn(50000);
		if (wick_cpu_stop_memory(&data, &size) < 0)
			return wrong("it does not stop");
		wick_free(data, size);
	}
	after = mallinfo2();
	if (after.uordblks != before.uordblks)
		return wrong("the host's heap was used");
	if (resident() > kib + 16384)
		return wrong("it keeps more than 16 MB");
	return 0;
}

/* R32: more threads than any limit allows to watch. */
static void *idles(void *context)
{
	(void)context;
	while (!stop)
		usleep(100000);
	return NULL;
}

static int many_threads(char **arguments)
{
	const struct rlimit few = { 64, 64 };
	unsigned count = arguments[0] ? (unsigned)atoi(arguments[0]) : 2000;
	pthread_t *thread = calloc(count, sizeof(*thread));
	pthread_attr_t attr;
	unsigned made = 0;

	setrlimit(RLIMIT_NOFILE, &few);
	setrlimit(RLIMIT_SIGPENDING, &few);
	setrlimit(RLIMIT_MEMLOCK, &few);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	while (made < count &&
	       pthread_create(&thread[made], &attr, idles, NULL) == 0)
		made++;
	lasts(1);
	while (more())
		burn(1000);
	stop = true;
	while (made)
		pthread_join(thread[--made], NULL);
	return 0;
}

/* R33: 64 threads that allocate and free. */
static void *allocates(void *context)
{
	(void)context;
	while (more())
		free(malloc(100));
	return NULL;
}

static int crowd(char **arguments)
{
	(void)arguments;
	with_threads(64, allocates, NULL);
	return 0;
}

/* Labels change while samples copy them. */
static void *labels(void *context)
{
	char value[64];

	(void)context;
	for (unsigned i = 0; more(); i++) {
		snprintf(value, sizeof(value), "request-%u", i % 10);
		wick_label_set("request", value);
		burn(1);
		if (i % 7 == 0)
			wick_label_clear(NULL);
	}
	return NULL;
}

static int labelled(char **arguments)
{
	void *data;
	size_t size;

	(void)arguments;
	if (!wick_label_set)
		return wrong("no libwick");
	lasts(0.7);
	for (unsigned i = 0; i < 3; i++)
		with_threads(4, labels, NULL);
	if (wick_threads(&data, &size) < 0)
		return wrong("no picture of the threads");
	wick_free(data, size);
	return 0;
}

/* A thread that is over before anybody would look for new ones. */
static void *brief(void *context)
{
	uint64_t *used = context;

	wick_label_set("job", "brief");
	while (cpu_nanos(CLOCK_THREAD_CPUTIME_ID) < 10000000)
		burn(20);
	*used += cpu_nanos(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

/* Many of them, one after the other, profiled to a file. */
static int brief_labels(char **arguments)
{
	const struct wick_options o = { .size = sizeof(o), .hz = 1000 };
	uint64_t used = 0;

	if (!wick_cpu_start || wick_cpu_start(&o) < 0)
		return wrong("it does not start");
	for (unsigned i = 0; i < 60; i++)
		with_threads(1, brief, &used);
	if (wick_cpu_stop_file(arguments[0]) < 0)
		return wrong("it does not stop");
	printf("used %llu\n", (unsigned long long)used);
	return 0;
}

const struct nasty nasty_limits[] = {
	{ "start-stop", start_stop },
	{ "heap-held", heap_held },
	{ "memory", memory },
	{ "many-threads", many_threads },
	{ "shares", shares },
	{ "overlap", overlap },
	{ "crowd", crowd },
	{ "labelled", labelled },
	{ "brief-labels", brief_labels },
	{ 0 },
};

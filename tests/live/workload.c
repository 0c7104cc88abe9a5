/* SPDX-License-Identifier: MIT */
/*
 * A program that knows where its time goes, for tests of "wick record":
 *
 *	workload MODE [SECONDS]
 *
 * The modes that split their time do it 70 to 30 between heavy and light, by
 * their own CPU clock, and print how long they used it, as "user 1.5 system
 * 0.1", at the end.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define QUIET __attribute__((noinline))

static volatile uint64_t sum;
static double seconds = 1;

static uint64_t thread_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * From half as long to half as long again, all of it equally often.  Rounds of
 * one length would keep step with the ticks of a sampler: of 7 and 3 ms, ticks
 * of 2 ms see 80 to 20 or 60 to 40, whichever they happen to begin with.
 */
static uint64_t vary(uint64_t ns)
{
	static _Thread_local uint32_t part; /* of 2^32, by the golden ratio */

	part += 2654435769u;
	return ns / 2 + (ns * (part >> 8) >> 24);
}

/* Computes until the thread has used the CPU for about so long. */
static inline __attribute__((always_inline)) void burn(uint64_t ns)
{
	uint64_t end = thread_time() + vary(ns);

	while (thread_time() < end)
		for (int i = 0; i < 20000; i++)
			sum += (uint64_t)i * sum;
}

QUIET static void heavy(void)
{
	burn(7000000);
	__asm__ volatile("");
}

QUIET static void light(void)
{
	burn(3000000);
	__asm__ volatile("");
}

static void split_functions(void)
{
	for (double t = 0; t < seconds; t += 0.01) {
		heavy();
		light();
	}
}

static inline __attribute__((always_inline)) void heavy_inlined(void)
{
	burn(7000000);
}

static inline __attribute__((always_inline)) void light_inlined(void)
{
	burn(3000000);
}

static void split_inlined(void)
{
	for (double t = 0; t < seconds; t += 0.01) {
		heavy_inlined();
		light_inlined();
	}
}

static void *heavy_thread(void *context)
{
	(void)context;
	pthread_setname_np(pthread_self(), "heavy");
	for (double t = 0; t < seconds; t += 0.01)
		heavy();
	return NULL;
}

static void *light_thread(void *context)
{
	(void)context;
	pthread_setname_np(pthread_self(), "light");
	for (double t = 0; t < seconds; t += 0.01)
		light();
	return NULL;
}

static void split_threads(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, heavy_thread, NULL);
	pthread_create(&b, NULL, light_thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

/* How much of the time is the kernel's, getrusage tells. */
static void split_kernel(void)
{
	static char buf[1 << 16];
	FILE *zero = fopen("/dev/zero", "r");

	for (double t = 0; t < seconds; t += 0.01) {
		uint64_t end = thread_time() + 7000000;

		while (thread_time() < end)
			if (read(fileno(zero), buf, sizeof(buf)) < 0)
				exit(1);
		light();
	}
	fclose(zero);
}

/* A stack far larger than the kernel copies. */
QUIET static uint64_t deep(unsigned depth)
{
	volatile char room[2000];

	room[0] = (char)depth;
	if (depth)
		return deep(depth - 1) + (uint64_t)room[0];
	split_functions();
	return 0;
}

static void large_stack(void)
{
	sum += deep(100);
}

static void exit_at_once(void)
{
	_exit(0);
}

static void many_children(void)
{
	for (volatile int i = 0; i < 1000; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	heavy();
}

static void *short_thread(void *context)
{
	(void)context;
	burn(1000000);
	return NULL;
}

static void many_threads(void)
{
	static pthread_t threads[2000];
	pthread_attr_t a;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 64 * 1024);
	for (int i = 0; i < 2000; i++)
		if (pthread_create(&threads[i], &a, short_thread, NULL))
			exit(1);
	for (int i = 0; i < 2000; i++)
		pthread_join(threads[i], NULL);
}

static void many_maps(void)
{
	for (int i = 0; i < 5000; i++) {
		char *p = mmap(NULL, 8192, PROT_READ | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || mprotect(p + 4096, 4096, PROT_NONE) < 0)
			exit(1);
		if (i % 100 == 0)
			heavy();
	}
}

#ifndef WITHOUT_LOADER /* a static program has none */
static void load_and_unload(void)
{
	for (int i = 0; i < 300; i++) {
		void *library = dlopen("libz.so.1", RTLD_NOW);

		burn(1000000);
		if (library)
			dlclose(library);
	}
}
#endif

static void close_everything(void)
{
	for (int fd = 0; fd < 4096; fd++)
		close(fd);
	split_functions();
}

static void endless(void)
{
	for (;;)
		split_functions();
}

static void deaf(void)
{
	signal(SIGINT, SIG_IGN);
	endless();
}

static void exit_with_seven(void)
{
	exit(7);
}

static void die(void)
{
	raise(SIGKILL);
}

/* What a compiler writes to jit-PID.dump: a header, and each piece of code. */
struct dump_header {
	uint32_t magic, version, size, machine, zero, pid;
	uint64_t time, flags;
};

struct dump_code {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t address, mapped_at, code_size, index;
	char name[16];
};

static int make_dump(const uint8_t *code, size_t size, void *at)
{
	struct dump_header h = { 0x4a695444,	     1, sizeof(h), 62, 0,
				 (uint32_t)getpid(), 1, 0 };
	struct dump_code c = { .size = (uint32_t)(sizeof(c) + size),
			       .time = 2,
			       .pid = (uint32_t)getpid(),
			       .tid = (uint32_t)getpid(),
			       .address = (uintptr_t)at,
			       .mapped_at = (uintptr_t)at,
			       .code_size = size,
			       .name = "compiled_here" };
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	f = fopen(path, "w+");
	fwrite(&h, sizeof(h), 1, f);
	fwrite(&c, sizeof(c), 1, f);
	fwrite(code, size, 1, f);
	fflush(f);
	return fileno(f);
}

/* Runs code of its own making. */
static void compile(void)
{
	/* mov $100000, %ecx; dec %ecx; jne; ret */
	static const uint8_t code[] = { 0xb9, 0xa0, 0x86, 0x01, 0x00,
					0xff, 0xc9, 0x75, 0xfc, 0xc3 };
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t end = thread_time() + (uint64_t)(seconds * 1e9);
	void (*run)(void);

	memcpy(at, code, sizeof(code));
	memcpy(&run, &at, sizeof(run));
	/* Its mapping, as code, is how profilers hear of it. */
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
	     make_dump(code, sizeof(code), at), 0);
	while (thread_time() < end)
		run();
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "functions", split_functions },
	{ "inlined", split_inlined },
	{ "threads", split_threads },
	{ "kernel", split_kernel },
	{ "large-stack", large_stack },
	{ "nothing", exit_at_once },
	{ "many-children", many_children },
	{ "many-threads", many_threads },
	{ "many-maps", many_maps },
#ifndef WITHOUT_LOADER
	{ "load", load_and_unload },
#endif
	{ "compile", compile },
	{ "close", close_everything },
	{ "endless", endless },
	{ "deaf", deaf },
	{ "seven", exit_with_seven },
	{ "die", die },
};

static double in_seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static void print_times(void)
{
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	printf("user %.6f system %.6f\n", in_seconds(self.ru_utime),
	       in_seconds(self.ru_stime));
}

int main(int argc, char **argv)
{
	if (argc > 2)
		seconds = atof(argv[2]);
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes);
	     i++) {
		if (strcmp(argv[1], modes[i].name) != 0)
			continue;
		modes[i].run();
		print_times();
		return 0;
	}
	return 2;
}

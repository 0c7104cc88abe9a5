/* SPDX-License-Identifier: MIT */
/*
 * Stacks of every shape that compilers and libc make, for tests/unwind/truth
 * to step through: prologues and epilogues, leaves, deep recursion, alloca and
 * arrays of variable length, realigned frames, tail calls, calls that do not
 * return, calls through the PLT for the first time, libc's assembly, the vdso,
 * setjmp, signal handlers on both stacks, qsort calling back.
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile int sink;
static jmp_buf jump;

NOINLINE static int leaf(int x)
{
	return x * 3 + sink;
}

NOINLINE static int recurse(int n)
{
	if (!n)
		return leaf(n);
	return recurse(n - 1) + leaf(n);
}

NOINLINE static int with_alloca(int n)
{
	char *p = alloca((size_t)n);

	memset(p, n, (size_t)n);
	return leaf(p[n / 2]);
}

NOINLINE static int with_array(int n)
{
	int a[n];

	for (int i = 0; i < n; i++)
		a[i] = leaf(i);
	return a[n - 1];
}

NOINLINE static int with_large_frame(int n)
{
	volatile char a[50000];

	a[n] = (char)n;
	return leaf(a[n]);
}

/* A frame aligned to more than the ABI's 16 bytes. */
NOINLINE static int realigned(int n)
{
	_Alignas(64) volatile int a[16];
	char *p = alloca((size_t)n);

	p[0] = (char)n;
	a[n % 16] = leaf(p[0]);
	return a[n % 16] + with_array(n);
}

NOINLINE static int tail(int n)
{
	return n ? tail(n - 1) : leaf(3);
}

NOINLINE static int many_arguments(int a, int b, int c, int d, int e, int f,
				   int g, int h, int i)
{
	return leaf(a + b + c + d + e + f + g + h + i);
}

NOINLINE _Noreturn static void leave(int n)
{
	sink = leaf(n);
	longjmp(jump, 1);
}

NOINLINE static int no_return(int n)
{
	if (n < 100)
		leave(n);
	return leaf(n);
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

NOINLINE static void library(void)
{
	char text[200];
	char copy[200];
	int a[20];

	for (int i = 0; i < 20; i++)
		a[i] = (i * 7) % 20;
	qsort(a, 20, sizeof(a[0]), by_value);
	snprintf(text, sizeof(text), "%d %s %f", a[3], "text", 1.5);
	memcpy(copy, text, sizeof(copy));
	sink += (int)strlen(copy) + memcmp(copy, text, sizeof(copy));
	sink += strchr(copy, 'x') != NULL;
	free(malloc(1000));
}

NOINLINE static void vdso(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	sink += (int)time(NULL);
}

static void on_signal(int sig)
{
	sink = leaf(sig) + recurse(3);
}

NOINLINE static void signals(void)
{
	static uint8_t stack[64 * 1024];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigaltstack(&alternate, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
}

NOINLINE static void shapes(void)
{
	sink += recurse(20);
	sink += with_alloca(100);
	sink += with_array(10);
	sink += with_large_frame(100);
	sink += realigned(12);
	sink += tail(5);
	sink += many_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9);
	if (!setjmp(jump))
		sink += no_return(5);
}

int main(void)
{
	shapes();
	library();
	vdso();
	signals();
	return 0;
}

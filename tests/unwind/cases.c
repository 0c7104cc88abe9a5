/* SPDX-License-Identifier: MIT */
/*
 * Stacks of every shape that compilers and libc make, for tests/unwind/truth
 * to step through: each function case_NAME is one, reported by its name.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static volatile int sink;
static volatile int some = 12; /* no compiler knows how many */
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

/* Nothing comes behind the call: the return address is in the next function. */
NOINLINE _Noreturn static void leave(int n)
{
	sink = leaf(n);
	longjmp(jump, 1);
}

NOINLINE _Noreturn static void no_return(int n)
{
	sink += leaf(n);
	leave(n);
}

static int by_value(const void *a, const void *b)
{
	return leaf(*(const int *)a) - leaf(*(const int *)b);
}

static void on_signal(int sig)
{
	sink = leaf(sig) + recurse(3);
}

void case_prologue(void)
{
	sink += many_arguments(some, 2, 3, 4, 5, 6, 7, 8, 9);
}

void case_leaf(void)
{
	sink += leaf(sink);
}

void case_recursion(void)
{
	sink += recurse(some);
}

void case_alloca(void)
{
	sink += with_alloca(some);
}

void case_vla(void)
{
	sink += with_array(some);
}

void case_large_frame(void)
{
	sink += with_large_frame(some);
}

void case_realigned(void)
{
	sink += realigned(some);
}

void case_tail_call(void)
{
	sink += tail(some);
}

void case_noreturn(void)
{
	if (!setjmp(jump))
		no_return(some);
	sink += leaf(some);
}

/* The first calls go through the loader; the second do not. */
void case_plt(void)
{
	for (int i = 0; i < 2; i++)
		sink += (int)labs(sink) + atoi("12") + ffs(sink);
}

/* Lengths that lead into each of the routines' branches. */
void case_libc_assembly(void)
{
	static const unsigned char lengths[] = { 0,  1,	 3,   7,  15,
						 31, 63, 127, 250 };
	static char text[600];
	static char copy[600];

	for (size_t i = 0; i < sizeof(lengths); i++) {
		size_t n = lengths[i];

		memset(text, 'a' + (int)i, n);
		text[n] = '\0';
		memcpy(copy, text, n + 1);
		memmove(copy + 1, copy, n + 1);
		sink += (int)strlen(text) + memcmp(copy + 1, text, n);
		sink += strcmp(copy, text) + strncmp(copy, text, n);
		sink += strchr(text, 'z') != NULL;
		sink += strrchr(text, 'z') != NULL;
		sink += memchr(text, 'z', n) != NULL;
		strcpy(copy, text);
		strncpy(copy + 300, text, n);
	}
	memcpy(copy, text, sizeof(copy));
	memset(copy, 0, sizeof(copy));
}

void case_callback(void)
{
	int a[20];

	for (int i = 0; i < 20; i++)
		a[i] = (i * 7) % 20;
	qsort(a, 20, sizeof(a[0]), by_value);
}

void case_library(void)
{
	char text[200];

	snprintf(text, sizeof(text), "%d %s %f", sink, "text", 1.5);
	free(malloc(1000));
}

void case_vdso(void)
{
	struct timespec t;
	struct timeval v;

	clock_gettime(CLOCK_MONOTONIC, &t);
	clock_gettime(CLOCK_REALTIME_COARSE, &t);
	gettimeofday(&v, NULL);
	sink += (int)time(NULL) + sched_getcpu();
}

void case_signal(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

void case_signal_stack(void)
{
	static uint8_t stack[64 * 1024];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
}

int main(void)
{
	static void (*const volatile cases[])(void) = {
		case_plt,	   case_prologue,      case_leaf,
		case_recursion,	   case_alloca,	       case_vla,
		case_large_frame,  case_realigned,     case_tail_call,
		case_noreturn,	   case_libc_assembly, case_callback,
		case_library,	   case_vdso,	       case_signal,
		case_signal_stack,
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cases[i]();
	return 0;
}

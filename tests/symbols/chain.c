/* SPDX-License-Identifier: MIT */
/*
 * Prints an address in three functions inlined into each other, and waits for
 * its standard input to end.  With -DSTATIC it needs no file but itself.
 */
#if defined(__x86_64__)
#define HERE "lea -1(%%rip), %0"
#else
#define HERE "adr %0, ."
#endif

#include <stdio.h>

static inline __attribute__((always_inline)) void *innermost(void)
{
	void *pc;

	__asm__ volatile(HERE : "=r"(pc));
	return pc;
}

static inline __attribute__((always_inline)) void *middle(void)
{
	return innermost();
}

__attribute__((noinline)) void *outermost(void)
{
	return middle();
}

int main(void)
{
	printf("%p\n", outermost());
	fflush(stdout);
	return getchar() == EOF ? 0 : 1;
}

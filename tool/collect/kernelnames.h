/* SPDX-License-Identifier: MIT */
/*
 * The kernel's list of functions.  It takes longer to read than all else that
 * is done when a recording ends, so it is read meanwhile.
 */
#ifndef WICK_COLLECT_KERNELNAMES_H
#define WICK_COLLECT_KERNELNAMES_H

#include <pthread.h>
#include <stdbool.h>

#include "symbolize/kernel.h"

/* Zeroed: not begun. */
struct kernel_names {
	struct kernel_symbols symbols;
	pthread_t thread;
	bool running; /* the thread is */
	bool begun;
	int result; /* of reading */
};

/* Begins to read, in a thread of its own, unless that was done before. */
void kernel_names_begin(struct kernel_names *k);

/* The list, when it has been read; NULL if the kernel hides it. */
struct kernel_symbols *kernel_names_get(struct kernel_names *k);

void kernel_names_release(struct kernel_names *k);

#endif /* WICK_COLLECT_KERNELNAMES_H */

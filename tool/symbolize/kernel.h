/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_KERNEL_H
#define WICK_SYMBOLIZE_KERNEL_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "symbol/addrmap.h"
#include "symbolize/open.h"

struct error;
struct kernel_file;

/* The functions of the running kernel and of its modules.  One thread. */
struct kernel_symbols {
	struct arena arena;
	struct symbol_request request; /* for files with lines */
	struct addrmap map;
	const char **name; /* of each entry; NULL: not asked yet */
	VEC(struct kernel_file *) files; /* those looked for */
};

/*
 * Reads the kernel's list.  0 or a negative errno; -EACCES if the kernel hides
 * addresses, with a sentence that has the very command which changes that.
 */
int kernel_open(struct kernel_symbols *k, const struct symbol_request *request,
		struct error *err);

/*
 * The call chain at an address, as module_find() gives it: the function, and
 * where the kernel's debug information is installed, lines and inlined calls.
 * The texts are k's.
 */
uint32_t kernel_find(struct kernel_symbols *k, uint64_t address,
		     struct symbol_frame *frames);

/* The module with an address, without brackets; empty: the kernel proper. */
struct span kernel_module_at(const struct kernel_symbols *k, uint64_t address);

void kernel_close(struct kernel_symbols *k);

#endif /* WICK_SYMBOLIZE_KERNEL_H */

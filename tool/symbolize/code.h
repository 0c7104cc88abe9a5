/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_CODE_H
#define WICK_SYMBOLIZE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct kernel_symbols;
struct process_code;
struct symbol_file;
struct symbol_frame;

/*
 * Something whose addresses have names: a file, a process, the kernel.  A plain
 * value that borrows it.
 */
struct code {
	void *self;
	/* Reads what the addresses need, in parallel; NULL: not needed. */
	void (*prepare)(void *self, const uint64_t *address, size_t count);
	/* As module_find(). */
	uint32_t (*find)(void *self, uint64_t address,
			 struct symbol_frame *frames);
	/* The file or module that has an address; NULL: always the same. */
	struct span (*module)(void *self, uint64_t address);
};

struct code code_of_file(struct symbol_file *f);
struct code code_of_process(struct process_code *p);
struct code code_of_kernel(struct kernel_symbols *k);

#endif /* WICK_SYMBOLIZE_CODE_H */

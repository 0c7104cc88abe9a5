/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_KERNELFILE_H
#define WICK_SYMBOLIZE_KERNELFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "symbolize/open.h"

struct addrmap;

/*
 * The file of the running kernel, or of one of its modules, for lines and
 * inlined calls.  Not open: there is none of that very build here.
 */
struct kernel_file {
	struct span module; /* its name, borrowed; empty: the kernel proper */
	struct symbol_file file;
	uint64_t shift; /* what to subtract from addresses in memory */
	bool open;
};

/*
 * Looks for the file.  symbols is the kernel's own list, which tells where the
 * file's code was loaded.
 */
void kernel_file_open(struct kernel_file *f, struct span module,
		      const struct addrmap *symbols,
		      const struct symbol_request *request);

void kernel_file_close(struct kernel_file *f);

/* A line of the kernel's list: "name", or "name\t[module]". */
struct span kernel_symbol_name(struct span text);
struct span kernel_symbol_module(struct span text);

#endif /* WICK_SYMBOLIZE_KERNELFILE_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_ELF_PLT_H
#define WICK_ELF_PLT_H

#include <stdbool.h>
#include <stdint.h>

struct elf;

/* A stub that jumps to a function of another module. */
struct plt_stub {
	uint64_t address;
	uint64_t size;
	const char *target; /* the function's name, in the file */
};

/*
 * Calls fn for each stub whose target can be told, in the order of address;
 * stops when fn returns false.  x86-64 and aarch64.
 */
void plt_for_each(const struct elf *elf,
		  bool (*fn)(void *context, const struct plt_stub *stub),
		  void *context);

#endif /* WICK_ELF_PLT_H */

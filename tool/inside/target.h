/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_TARGET_H
#define WICK_INSIDE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/vec.h"
#include "collect/binary.h"
#include "elf/image.h"
#include "elf/symtab.h"
#include "inside/envoy.h"

struct error;
struct space;

/* What kind of code it is, to whoever wants to borrow a thread in it. */
enum target_kind {
	TARGET_HOST,	  /* the program's own */
	TARGET_LIBC,	  /* may hold locks of libc's, or not */
	TARGET_LOADER,	  /* holds the loader's */
	TARGET_ALLOCATOR, /* a library that has malloc(), not libc's */
};

/* A file that the process has code of. */
struct target_module {
	const struct binary *binary;
	enum target_kind kind;
	bool is_program;
	bool has_malloc; /* the program itself brings an allocator */
	struct span file;
	struct elf elf;
	struct symtab symbols; /* of libc, and of programs with malloc() */
};

/*
 * A process that a library can be loaded into: one that uses glibc, on our
 * machine, and that we may trace.
 */
struct target {
	pid_t pid;
	int memory; /* /proc/PID/mem */
	struct arena arena;
	struct binaries binaries;
	struct space *space;
	VEC(struct target_module) modules;
	struct envoy_calls calls;
	int dlopen_mode;
	uint64_t entry; /* of the program: code that runs no more */
};

/*
 * Looks at a process.  Returns 0, or a negative errno with a sentence that says
 * why it cannot be entered; nothing was done to it then.  Call target_close()
 * in either case.
 */
int target_open(struct target *t, pid_t pid, struct error *err);
void target_close(struct target *t);

/* Looks at its mappings again. */
int target_refresh(struct target *t);

/* The module at an address, and the address as the module's file has it;
 * NULL: it is no file's. */
const struct target_module *target_find(const struct target *t, uint64_t pc,
					uint64_t *ret_address);

/* All of len bytes, or false. */
bool target_read(const struct target *t, uint64_t at, void *to, size_t len);
bool target_write(const struct target *t, uint64_t at, const void *from,
		  size_t len);

#endif /* WICK_INSIDE_TARGET_H */

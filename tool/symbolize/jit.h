/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_JIT_H
#define WICK_SYMBOLIZE_JIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "symbol/jitdump.h"

struct symbol_frame;

enum {
	JIT_DUMPS = 8, /* one a compiler; a process with more is not known */
};

/* A table of names that a just-in-time compiler wrote. */
struct jit_table {
	const char *path;
	const struct addrmap *map;
	struct jitdump dump;  /* of a jitdump */
	struct addrmap plain; /* of a perf map */
	const char **name;    /* of each entry of map; NULL: not asked yet */
};

/*
 * The names of a process's code that was compiled at run time.  Zeroed: none.
 */
struct jit_code {
	struct arena arena;
	struct jit_table table[JIT_DUMPS];
	uint32_t count;
	const char *refused; /* a table that was not believed; NULL: none */
};

/*
 * Reads the perf map of a process, /tmp/perf-PID.map under root, with the
 * number that the process itself has there.  Only one that belongs to the
 * process's user or to root is believed.
 */
void jit_read_perfmap(struct jit_code *j, pid_t pid, const char *root);

/* Reads a jitdump that is mapped, at its path under root. */
void jit_read_dump(struct jit_code *j, const char *root, const char *path);

/* Whether a mapped file is a jitdump, by its name. */
bool jit_is_dump(const char *path);

/* The function at an address, as compiled last; 1 or 0 frames. */
uint32_t jit_find(struct jit_code *j, uint64_t address,
		  struct symbol_frame *frames);

void jit_close(struct jit_code *j);

#endif /* WICK_SYMBOLIZE_JIT_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_PROCESS_H
#define WICK_SYMBOLIZE_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/vec.h"
#include "symbolize/jit.h"

struct code_file;
struct code_files;
struct error;
struct symbol_frame;

/* A part of a process's memory with code. */
struct process_map {
	uint64_t start;
	uint64_t end;	 /* exclusive */
	uint64_t offset; /* in the file */
	const char *path;
	struct code_file *file; /* NULL: no file, or none that can be read */
};

/*
 * The code of a running process: which file, or which compiler's table, knows
 * the names of which addresses.  It is what the process had when it was
 * opened; the process may end afterwards.  One thread.
 */
struct process_code {
	struct arena arena;
	struct code_files *files;     /* borrowed; may serve many processes */
	VEC(struct process_map) maps; /* by start */
	struct jit_code jit;
	pid_t pid;
};

/*
 * Reads the mappings of a process and adds their files to files, which must
 * outlive it.  0 or a negative errno with a sentence that says what to do.
 */
int process_open(struct process_code *p, pid_t pid, struct code_files *files,
		 struct error *err);

/* The mapping with an address; NULL: none has it. */
const struct process_map *process_map_at(const struct process_code *p,
					 uint64_t address);

/* Reads in parallel what process_find() will need for the addresses. */
void process_prepare(struct process_code *p, const uint64_t *address,
		     size_t count);

/*
 * The call chain at an address of the process, as module_find() gives it; the
 * texts live as long as p and its files.
 */
uint32_t process_find(struct process_code *p, uint64_t address,
		      struct symbol_frame *frames);

/* Releases all but the files. */
void process_close(struct process_code *p);

#endif /* WICK_SYMBOLIZE_PROCESS_H */

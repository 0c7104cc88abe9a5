/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_CODEFILES_H
#define WICK_SYMBOLIZE_CODEFILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/vec.h"
#include "elf/note.h"
#include "symbol/file.h"
#include "symbolize/open.h"

struct error;
struct map_line;

enum code_file_state {
	CODE_FILE_HELD,	  /* mapped, so that it cannot get lost; not read */
	CODE_FILE_OPEN,	  /* file is of use */
	CODE_FILE_FAILED, /* reason says why */
};

/* A file with code that some process has mapped. */
struct code_file {
	const char *path;   /* as the process calls it */
	const char *name;   /* the same with the process's root before it */
	const char *root;   /* that root; "" if it is ours */
	const char *opened; /* the path by which it was reached */
	const char *reason; /* CODE_FILE_FAILED: a sentence, else NULL */
	struct span image;  /* a copy from the process's memory: the vdso */
	struct build_id id; /* what the process's memory says; len 0: ? */
	struct symbol_file file;
	struct mapped_file held;
	uint64_t inode;
	uint32_t major;
	uint32_t minor;
	enum code_file_state state;
	bool deleted; /* nothing has its path any more, or another file */
};

/*
 * The files with code of one process or of many, each held once, however often
 * it is mapped.  A file is held from the moment it is added, so that it may be
 * deleted and the process may end; its symbols are read when they are wanted.
 * Zeroed but for the request, it is ready.
 */
struct code_files {
	struct arena arena;
	struct symbol_request request; /* expected and root are not used */
	VEC(struct code_file *) file;
};

/* A mapping whose file is wanted. */
struct code_mapping {
	pid_t pid;
	const struct map_line *line;
	const char *path; /* of line, unescaped */
	uint64_t first;	  /* where the start of the file is mapped; 0: ? */
};

/*
 * Adds the file of a mapping of a running process.  It is the very file that
 * the process has, deleted or of another container; a file that only has its
 * name is not taken.  NULL: out of memory.
 */
struct code_file *code_files_add(struct code_files *all,
				 const struct code_mapping *mapping);

/* Adds the vdso that is mapped at line. */
struct code_file *code_files_add_vdso(struct code_files *all, pid_t pid,
				      const struct map_line *line);

/* Opens the file's symbols if that has not been done; true if it has any. */
bool code_file_load(struct code_files *all, struct code_file *f);

/* Closes all files; their indexes go to the cache. */
void code_files_close(struct code_files *all);

#endif /* WICK_SYMBOLIZE_CODEFILES_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_BINARY_H
#define WICK_COLLECT_BINARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/vec.h"
#include "elf/note.h"
#include "unwind/table.h"

enum { BINARY_SEGMENTS = 8, BINARY_READERS = 2 };

/* A part of a file with code in it, and where the file says it belongs. */
struct binary_segment {
	uint64_t offset;
	uint64_t size;
	uint64_t address;
	uint32_t mapping; /* of the profile; 0: not in use so far */
};

/*
 * A file with code, however often and by however many processes it is mapped.
 * Opened when it is first seen mapped, since it may be replaced, or its
 * container gone, by the time that names are wanted.
 */
struct binary {
	struct binary *next; /* waiting to be read */
	uint32_t major;
	uint32_t minor;
	uint64_t inode;
	const char *path; /* in the process's view */
	int fd;		  /* -1: it could not be opened */
	bool is_vdso;	  /* the kernel's, and no file */

	/* Set by the thread that reads it; nobody looks before ready is. */
	bool ready;
	struct arena arena;
	struct unwind_table table; /* n_rows 0: none */
	struct span unsaved;	   /* the table, until it is */
	struct build_id build_id;
	struct binary_segment segment[BINARY_SEGMENTS];
	unsigned segments; /* 0: not a program at all */
};

/* Where a mapping was seen. */
struct binary_place {
	pid_t pid;
	uint64_t lo;
	uint64_t hi;
	uint32_t major;
	uint32_t minor;
	uint64_t inode;
	struct span path;
};

/*
 * All binaries of a recording, and the threads that read them: compiling an
 * unwind table takes up to a fifth of a second, and starts when the file is
 * mapped, not when the first sample needs it.
 */
struct binaries {
	struct arena arena;
	struct table index;
	VEC(struct binary *) all;
	struct binary *vdso;
	char folder[4096]; /* where tables are kept; "": nowhere */
	unsigned open;	   /* descriptors held */

	pthread_t reader[BINARY_READERS];
	unsigned readers;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct binary *first; /* waiting to be read */
	struct binary **last;
	bool stop;
};

/* Starts the thread.  Returns 0 or a negative errno. */
int binaries_init(struct binaries *b);

/* Waits for the thread, closes all files and releases all memory. */
void binaries_release(struct binaries *b);

/*
 * The binary that is mapped there; NULL if it is not a file, or there is no
 * memory.  It may not be ready.
 */
struct binary *binary_get(struct binaries *b, const struct binary_place *place);

/* Waits until it has been read. */
void binary_wait(struct binaries *b, struct binary *one);

/*
 * The segment that holds an offset of the file; NULL: none does.  The binary
 * is ready.
 */
struct binary_segment *binary_segment_at(struct binary *one, uint64_t offset);

/* The vdso, as it is mapped here; empty: there is none. */
struct span binary_vdso_image(void);

#endif /* WICK_COLLECT_BINARY_H */

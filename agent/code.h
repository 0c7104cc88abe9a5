/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_CODE_H
#define WICK_AGENT_CODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "elf/note.h"
#include "unwind/table.h"
#include "unwind/walk.h"

enum code_state {
	CODE_UNREAD, /* nobody has asked so far */
	CODE_READ,   /* what there is to know is known */
};

/*
 * A file with code in it.  Kept for as long as the process lives, also when it
 * is not mapped any more: samples may name it, and it may come back.
 */
struct code_file {
	uint32_t major;
	uint32_t minor;
	uint64_t inode;
	const char *path; /* "": memory without a file */
	bool deleted;
	enum code_state state;
	struct build_id id;
	struct unwind_table table; /* n_rows 0: none */
	/* Executable segments, to translate offsets to addresses. */
	uint64_t offset[4];
	uint64_t address[4];
	uint64_t size[4];
	unsigned segments;
};

/* Executable memory. */
struct code_map {
	uint64_t lo;
	uint64_t hi;
	uint64_t offset; /* in the file */
	uint64_t file;	 /* index into code.files */
};

/* Any memory, for those who ask in how large a piece an address lies. */
struct code_extent {
	uint64_t lo;
	uint64_t hi;
};

/*
 * What signal handlers see: immutable, replaced as a whole, and given back
 * when no handler can still be looking at it.
 */
struct code_view {
	struct unwind_map map;
	const bool *unread; /* by module: its table may come */
	const struct code_extent *extents;
	uint32_t extent_count;
	size_t size;		/* of the mapping that holds all of it */
	struct code_view *next; /* retired after this one */
	bool drained[2];
};

/*
 * The process's code, as its agent knows it.  One thread changes it; handlers
 * look at view, between code_enter() and code_leave().
 */
struct code {
	struct arena arena;
	VEC(struct code_file *) files; /* [0]: memory without a file */
	VEC(struct code_map) maps;     /* by address */
	VEC(struct code_extent) extents;
	uint64_t hash; /* of what /proc said last */
	uint32_t generation;
	uint64_t read_nanos; /* what reading it took */
	_Atomic(struct code_view *) view;
	struct code_view *retired;
	_Atomic uint32_t epoch;
	_Atomic uint32_t inside[2]; /* handlers, by the epoch they came in */
};

/* For handlers: the view stays valid until code_leave() with the token. */
const struct code_view *code_enter(struct code *c, uint32_t *token);
void code_leave(struct code *c, uint32_t token);

/*
 * Reads /proc/self/maps and publishes what changed.  Returns 0 or a negative
 * errno; then what was known stays.
 */
int code_refresh(struct code *c);

/* The mapping of an address; NULL: no code is there. */
const struct code_map *code_find(const struct code *c, uint64_t pc);

/* Whether the view has a module at pc whose table may come. */
bool code_is_unread(const struct code_view *v, uint64_t pc);

/* Whether the view has code at pc at all. */
bool code_has(const struct code_view *v, uint64_t pc);

/*
 * Reads the file behind a mapping, if that was not done: makes its table.
 * True if the view must be published again.
 */
bool code_read(struct code *c, const struct code_map *m);

/* Makes what code_read() learnt visible to handlers. */
void code_publish(struct code *c);

/* Gives back views that nobody looks at any more; call it now and then. */
void code_collect(struct code *c);

/* The end of the mapping that has both addresses; 0: no mapping does. */
uint64_t code_extent_end(const struct code_view *v, uint64_t a, uint64_t b);

/* The file's address of a place in it; the offset itself if unknown. */
uint64_t code_file_address(const struct code_file *f, uint64_t offset);

/* The vdso, as it is mapped here; empty: there is none. */
struct span code_vdso(const struct code *c);

/* Reads a file of /proc into the arena; 0 or a negative errno. */
int code_read_text(const char *path, struct arena *arena, struct span *ret);

#endif /* WICK_AGENT_CODE_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_OBJECT_H
#define WICK_SYMBOLIZE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/open.h"

struct error;
struct mapping;

/*
 * A file as it was mapped into a profiled process: what translates addresses of
 * the process to addresses of the file, and those to names.
 */
struct object {
	struct symbol_file file;
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	uint64_t base;	/* what to subtract, where that is all */
	bool by_offset; /* translate through the file's segments instead */
};

/* How much is wanted of a file. */
struct object_request {
	const char *path;
	const struct mapping *mapping;
	const char *kernel_symbol; /* the mapping's start, of a kernel; or "" */
	bool symbols_only;	   /* leave debug information alone */
};

/* Whether there can be a file of a mapping's name: not of "[vdso]". */
bool object_can_have_file(const char *name);

/*
 * Opens the file of a mapping.  Returns 0 or a negative errno with a sentence;
 * on failure nothing stays open.
 */
int object_open(struct object *o, const struct object_request *q,
		struct error *err);
void object_close(struct object *o);

/* Whether it is of the build with this id, as far as both have one. */
bool object_is_build(const struct object *o, const char *build_id);

/* The file's address of a process's; false if the file has none. */
bool object_address(const struct object *o, uint64_t address, uint64_t *ret);

/* The opposite, for addresses of the mapped part. */
uint64_t object_runtime_address(const struct object *o, uint64_t address);

#endif /* WICK_SYMBOLIZE_OBJECT_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_SEARCH_H
#define WICK_SYMBOL_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "elf/image.h"
#include "elf/note.h"
#include "symbol/file.h"

struct error;

enum {
	SEARCH_PATH = 4096, /* longest path */
};

/*
 * Where files with debug information are looked for.  Zeroed: in the usual
 * place, under no other root, asking no server.
 */
struct search_places {
	const char *root; /* before absolute paths: "/proc/PID/root"; or NULL */
	const char *const *directories; /* ends with NULL; NULL: the usual */
	/*
	 * Asks a server for the file of a build id ("debuginfo") and writes
	 * the path of a local copy; 0, -ENOTSUP if there is no server to ask,
	 * -ENOPKG if it cannot be asked for want of a library, or another
	 * negative errno.  May be NULL.
	 */
	int (*fetch)(void *context, const struct build_id *id, char *path,
		     size_t size);
	void *context;
	bool copied; /* files are copied, not mapped: see file_copy_in() */
};

/* One thing that was tried, for people to read. */
struct search_step {
	const char *path;
	const char *outcome;
};

/* What was tried, in its order.  The arena owns the texts. */
struct search_log {
	struct arena *arena;
	VEC(struct search_step) steps;
};

void search_note(struct search_log *log, const char *path, const char *outcome);

/*
 * Maps the file at path, which starts with the root of places or lies in our
 * own file system; as file_map_in().
 */
int search_map(const struct search_places *places, const char *path,
	       struct mapped_file *ret, struct error *err);

/* A file that was found: its mapping, its headers, its path. */
struct found_file {
	struct mapped_file file;
	struct elf elf;
	const char *path; /* the log's arena owns it */
};

/*
 * Looks for the file with the debug information of the program in elf at path:
 * by build id, then by the name that the program gives, then by asking a
 * server.  A file of another build is never taken.  True if found.
 */
bool search_debug_file(const struct search_places *places,
		       const struct elf *elf, const char *path,
		       struct search_log *log, struct found_file *ret);

/* The file that dwz moved shared entries of debug (at path) to. */
bool search_alt_file(const struct search_places *places,
		     const struct elf *debug, const char *path,
		     struct search_log *log, struct found_file *ret);

/*
 * The symbol table that some distributions leave in stripped programs,
 * compressed: an ELF image, decompressed into the log's arena.
 */
bool search_embedded_symbols(const struct elf *elf, struct search_log *log,
			     struct elf *ret);

#endif /* WICK_SYMBOL_SEARCH_H */

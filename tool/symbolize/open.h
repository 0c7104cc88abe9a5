/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_OPEN_H
#define WICK_SYMBOLIZE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/note.h"
#include "symbol/module.h"
#include "symbolize/prepare.h"

struct error;

/* What is wanted of a file.  Zeroed: everything, of whatever build. */
struct symbol_request {
	struct build_id expected; /* len 0: any */
	const char *root;	  /* of its file system; NULL: ours */
	bool no_cache;
	bool no_server;
	bool symbols_only;
};

/*
 * A module with all that the command adds: the cache of indexes, debuginfod,
 * threads.  Open it, prepare the addresses, find them, close it.
 */
struct symbol_file {
	struct module module;
	struct preparation preparation;
	struct mapped_file cache;
	bool no_cache;
};

/* As module_open(). */
int symbol_file_open(struct symbol_file *f, const char *path,
		     const struct symbol_request *request, struct error *err);

/* As module_open_mapped(). */
int symbol_file_open_mapped(struct symbol_file *f, struct mapped_file *file,
			    const char *name,
			    const struct symbol_request *request,
			    struct error *err);

/* As module_open_image(). */
int symbol_file_open_image(struct symbol_file *f, struct span image,
			   const char *name,
			   const struct symbol_request *request,
			   struct error *err);

/* As prepare_addresses(). */
void symbol_file_prepare(struct symbol_file *f, const uint64_t *address,
			 size_t count);

/* Closes it, after saving what was built to the cache if that is worth it. */
void symbol_file_close(struct symbol_file *f);

#endif /* WICK_SYMBOLIZE_OPEN_H */

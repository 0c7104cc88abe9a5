/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_MODULE_H
#define WICK_SYMBOL_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "dwarf/file.h"
#include "dwarf/flatten.h"
#include "elf/image.h"
#include "elf/note.h"
#include "elf/symtab.h"
#include "symbol/builder.h"
#include "symbol/cache.h"
#include "symbol/file.h"
#include "symbol/pclntab.h"
#include "symbol/search.h"

struct error;
struct function_index;
struct line_index;
struct sink;

/*
 * One level of the call chain at an address.  The texts are the module's and
 * live as long as it does; what is unknown is "" or 0.
 */
struct symbol_frame {
	const char *function;  /* as the linker knows it: mangled */
	const char *directory; /* "" if file is a whole path or unknown */
	const char *file;
	uint32_t line;
	uint32_t column;
	uint32_t start_line; /* where the function is declared */
	bool inlined;	     /* into the next frame */
};

enum {
	SYMBOL_FRAMES = 256, /* as deep as inlining is followed */
};

/* How a module is opened.  Zeroed is good for most. */
struct module_options {
	struct build_id expected; /* len 0: any */
	struct search_places places;
	/*
	 * Gives the bytes of a cache file for a program, which must stay
	 * mapped until the module is closed; empty: none.  May be NULL.
	 */
	struct span (*cached)(void *context, const struct build_id *id);
	void *cache_context;
	bool symbols_only; /* leave debug information alone */
	bool no_search;	   /* look into the file itself only */
};

/* A unit of debug information; NULL: not built yet. */
struct module_unit {
	const struct function_index *functions;
	const struct line_index *lines;
	struct span bytes[INDEX_PARTS];
	uint32_t near[INDEX_PARTS]; /* where the last answer was */
};

/*
 * An object file and all that is known about its code.  Owns its memory and
 * mappings; module_close() releases them.  One thread at a time, but for
 * module_build(): see there.
 */
struct module {
	struct arena arena;
	struct mapped_file file;
	struct elf elf;
	struct build_id id;
	struct symtab symtab;
	struct pclntab pclntab; /* of Go programs */
	struct pclntab_cursor pclntab_at;
	struct search_places places; /* where files are looked for */
	struct search_log log;	     /* what was looked for, and found */
	struct found_file debug;     /* a separate debug file, if any */
	struct found_file alt;	     /* dwz's shared file, if any */
	struct found_file package;   /* split units, packed, if any */
	struct elf embedded;	     /* .gnu_debugdata, if any */
	const struct elf *debug_elf; /* has debug information; or NULL */
	const char *debug_path;	     /* its path */
	struct cache_key key;
	struct cache cache;
	struct dwarf dwarf; /* read when the cache does not suffice */
	struct dwarf alt_dwarf;
	struct dwarf package_dwarf;
	struct debug_source source; /* dwarf NULL: not read yet */
	struct module_unit *unit;
	uint32_t unit_count;
	code_segment_vec ranges; /* owner: unit_count - unit */
	uint32_t near;		 /* where in ranges the last answer was */
	struct builder builder;
};

/*
 * Opens an image that is in memory already: the vdso, say.  name is what it is
 * called in messages; image must outlive the module.
 */
int module_open_image(struct module *m, struct span image, const char *name,
		      const struct module_options *options, struct error *err);

/*
 * Opens the file at path.  Returns 0, -ESTALE if its build id is not the
 * expected one, or another negative errno; on failure nothing stays open.
 */
int module_open(struct module *m, const char *path,
		const struct module_options *options, struct error *err);

/*
 * The same of a file that is mapped already, which the module takes over, also
 * on failure.  name is its path, with its root: files that belong to it are
 * looked for beside it.
 */
int module_open_mapped(struct module *m, struct mapped_file *file,
		       const char *name, const struct module_options *options,
		       struct error *err);

void module_close(struct module *m);

/*
 * The call chain at an address of the file (not of a process), the innermost
 * inlined function first and the real one last, into frames, which has room
 * for SYMBOL_FRAMES.  Returns how many; 0: nothing is known.  Builds what it
 * needs.
 */
uint32_t module_find(struct module *m, uint64_t address,
		     struct symbol_frame *frames);

/*
 * The number of the unit that has an address; UINT32_MAX: none.  This, like
 * module_find(), is fastest for addresses in ascending order.
 */
uint32_t module_unit_of(struct module *m, uint64_t address);

/*
 * Takes one part of a unit from the cache; false if that has not got it, and
 * module_build() is needed, of which the same holds as to threads and memory.
 */
bool module_take_cached(struct module *m, uint32_t unit, enum index_part part,
			struct builder *b);

/*
 * Makes the debug information ready for module_build().  0 or a negative
 * errno.
 */
int module_load(struct module *m);

/*
 * Builds one part of a unit ahead of time from debug information, if
 * module_load() has made that ready; else the part stays empty.  Several
 * threads may do so at once, each with its own builder, if no two build the
 * same part of the same unit and nobody calls module_find() meanwhile.  What
 * the builder keeps belongs to the module from then on: release it after
 * module_close().
 */
void module_build(struct module *m, uint32_t unit, enum index_part part,
		  struct builder *b);

/* Whether the part has been built. */
bool module_is_built(const struct module *m, uint32_t unit,
		     enum index_part part);

/*
 * Writes all that is known about units as a cache file; the result is the
 * sink's.  Only of use for modules with a build id.
 */
void module_write_cache(const struct module *m, struct sink *out);

/* Bytes of index that were built, not found in the cache. */
uint64_t module_new_bytes(const struct module *m);

/* Whether something had to be built that the cache claimed to have. */
bool module_cache_is_damaged(const struct module *m);

/* How many units there are, and how large one is in the debug file. */
uint32_t module_unit_count(const struct module *m);
uint64_t module_unit_size(const struct module *m, uint32_t unit);

/* Gives back the memory of file pages that were read; any thread may. */
void module_forget_pages(const struct module *m);

#endif /* WICK_SYMBOL_MODULE_H */

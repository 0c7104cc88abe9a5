/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_DEMANGLE_H
#define WICK_SYMBOL_DEMANGLE_H

#include <stdbool.h>

#include "base/span.h"

struct arena;
struct demangler;

/* What is left out of a readable name, and what is put in other words. */
enum demangle_flags {
	DEMANGLE_NO_PARAMS = 1 << 0,	/* nor return types and suffixes */
	DEMANGLE_NO_TEMPLATES = 1 << 1, /* template and generic arguments */
	DEMANGLE_NO_ENCLOSING = 1 << 2, /* parameters of enclosing functions */
	DEMANGLE_NO_CLONES = 1 << 3,	/* suffixes such as .cold */
	/*
	 * std::string for what it stands for, no inline namespaces of the
	 * standard library, no arguments that are the default anyway.
	 */
	DEMANGLE_FOLD_STD = 1 << 4,
	DEMANGLE_DLANG = 1 << 5, /* D's names too, which pprof leaves alone */
	/* Generic arguments leave no trace, instead of the "::<>" of pprof. */
	DEMANGLE_BARE = 1 << 6,

	/* pprof's modes "", "templates" and "full", to the letter. */
	DEMANGLE_PPROF = DEMANGLE_NO_PARAMS | DEMANGLE_NO_TEMPLATES |
			 DEMANGLE_NO_ENCLOSING,
	DEMANGLE_PPROF_TEMPLATES = DEMANGLE_NO_PARAMS | DEMANGLE_NO_ENCLOSING,
	DEMANGLE_PPROF_FULL = DEMANGLE_NO_CLONES,

	/* What wick's own reports show: the name alone, or all of it. */
	DEMANGLE_SHORT = DEMANGLE_PPROF | DEMANGLE_FOLD_STD | DEMANGLE_DLANG |
			 DEMANGLE_BARE,
	DEMANGLE_FULL = DEMANGLE_FOLD_STD | DEMANGLE_DLANG,
};

/*
 * Makes a demangler, or returns NULL when memory ran out.  It keeps its
 * memory, at most a few megabytes of the arena's, from name to name.  One
 * thread at a time.
 */
struct demangler *demangler_new(struct arena *arena);

/*
 * Makes the name of a symbol readable: C++ as compilers for the Itanium ABI
 * mangle it, and Rust in both of its schemes.  Returns false if the name is
 * not mangled, not well-formed, or longer or more deeply nested than any
 * compiler makes them; names are hostile input, and no name costs more than a
 * bounded time.  *ret is valid until the next call.
 */
bool demangle(struct demangler *d, struct span name, unsigned flags,
	      struct span *ret);

#endif /* WICK_SYMBOL_DEMANGLE_H */

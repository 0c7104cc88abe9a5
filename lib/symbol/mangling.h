/* SPDX-License-Identifier: MIT */
/*
 * The manglings that demangle() knows, one function each.  Each returns false
 * if the name is not of its kind or not well-formed; what it has written by
 * then is dropped.  Only lib/symbol uses this.
 */
#ifndef WICK_SYMBOL_MANGLING_H
#define WICK_SYMBOL_MANGLING_H

#include <stdbool.h>

#include "base/span.h"
#include "symbol/scratch.h"

/* C++: _Z... */
bool itanium_demangle(struct scratch *scratch, struct span name, unsigned flags,
		      struct text *out);

/* Rust since 2021: _R... */
bool rust_demangle(struct scratch *scratch, struct span name, unsigned flags,
		   struct text *out);

/* Rust before: _ZN...17h<hash>E, a subset of what C++ names may be. */
bool rust_legacy_demangle(struct span name, struct text *out);

/* D: _D... */
bool dlang_demangle(struct span name, unsigned flags, struct text *out);

#endif /* WICK_SYMBOL_MANGLING_H */

/* SPDX-License-Identifier: MIT */
/*
 * Readable names.  Which mangling a name is in is told by how it starts; the
 * order in which they are tried is pprof's.
 */
#include "symbol/demangle.h"

#include "base/arena.h"
#include "symbol/mangling.h"
#include "symbol/scratch.h"

struct demangler {
	struct scratch scratch;
	struct text text;
};

struct demangler *demangler_new(struct arena *arena)
{
	struct demangler *d = ARENA_NEW(arena, struct demangler);

	if (!d)
		return NULL;
	d->scratch.arena = arena;
	d->text.arena = arena;
	return d;
}

static void start(struct demangler *d)
{
	scratch_reset(&d->scratch);
	d->text.used = 0;
	d->text.last = 0;
	d->text.failed = false;
}

static bool demangle_one(struct demangler *d, struct span name, unsigned flags)
{
	start(d);
	if (span_starts(name, "_R"))
		return rust_demangle(&d->scratch, name, flags, &d->text);
	if (span_starts(name, "_D"))
		return (flags & DEMANGLE_DLANG) &&
		       dlang_demangle(name, flags, &d->text);
	if (rust_legacy_demangle(name, &d->text))
		return true;
	start(d);
	return itanium_demangle(&d->scratch, name, flags, &d->text);
}

/*
 * What wick's own reports show of a name that pprof's demangler refuses: LLVM
 * gives suffixes to data, and GCC has a few slips in types.
 */
static bool demangle_some(struct demangler *d, struct span name, unsigned flags)
{
	const uint8_t *dot = name.len ? memchr(name.at, '.', name.len) : NULL;

	if (dot &&
	    demangle_one(d, span_of(name.at, (size_t)(dot - name.at)), flags))
		return true;
	return demangle_one(d, name, flags | DEMANGLE_NO_PARAMS);
}

bool demangle(struct demangler *d, struct span name, unsigned flags,
	      struct span *ret)
{
	bool known = demangle_one(d, name, flags);

	if (!known && (flags & DEMANGLE_FOLD_STD))
		known = demangle_some(d, name, flags);
	*ret = known ? span_of(d->text.at, d->text.used) : (struct span){ 0 };
	return known;
}

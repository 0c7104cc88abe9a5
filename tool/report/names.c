/* SPDX-License-Identifier: MIT */
/*
 * The names of functions, as pprof makes them.  Its rules are kept even where
 * they surprise ("(anonymous namespace)::f(int)" becomes "::f"), since scripts
 * look for the names they make.
 */
#include "report/names.h"

#include <errno.h>

#include "base/arena.h"
#include "base/strtab.h"
#include "profile/derive.h"
#include "profile/profile.h"
#include "symbol/demangle.h"

struct namer {
	struct profile *profile;
	struct demangler *demangler;
	struct arena scratch;
	char *copy; /* of a name, to be cut */
	size_t copy_size;
	unsigned flags;
};

static bool contains(struct span s, const char *word)
{
	return memmem(s.at, s.len, word, strlen(word)) != NULL;
}

/* Whether a name that is not mangled is C++; "a.<init>" is Java's, "]." Go's.
 */
static bool looks_like_cplusplus(struct span name)
{
	if (contains(name, ".<") || contains(name, "])."))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] && strchr("<>[]", name.at[i]))
			return true;
	return contains(name, "::");
}

/*
 * Removes what is between brackets, and the brackets.  From a closing one
 * without an opening one on, and from an opening one without a closing one on,
 * everything stays.  Works in place.
 */
static size_t remove_brackets(char *name, size_t len, char open, char close)
{
	size_t kept = 0;
	size_t nesting = 0;
	size_t first = 0; /* the bracket that is open */
	size_t i;

	for (i = 0; i < len; i++) {
		if (name[i] == open && nesting++ == 0)
			first = i;
		if (name[i] == close) {
			if (nesting == 0)
				break;
			nesting--;
		} else if (nesting == 0) {
			name[kept++] = name[i];
		}
	}
	if (nesting)
		i = first;
	memmove(name + kept, name + i, len - i);
	return kept + len - i;
}

/* A readable name without what the mode leaves out. */
static str_id shorten(struct namer *n, struct span name)
{
	size_t len = name.len;

	if (len > n->copy_size) {
		n->copy = arena_resize(&n->scratch, n->copy, n->copy_size,
				       2 * len);
		n->copy_size = n->copy ? 2 * len : 0;
		if (!n->copy)
			return 0;
	}
	memcpy(n->copy, name.at, len);
	if (n->flags & DEMANGLE_NO_PARAMS)
		len = remove_brackets(n->copy, len, '(', ')');
	if (n->flags & DEMANGLE_NO_TEMPLATES)
		len = remove_brackets(n->copy, len, '<', '>');
	return strtab_add(n->profile->strings, n->copy, len);
}

/* Demangles name if it is mangled, and not to itself. */
static bool demangle_name(struct namer *n, struct span name, str_id *ret)
{
	struct span readable;

	if (!demangle(n->demangler, name, n->flags, &readable) ||
	    span_equal(name, readable))
		return false;
	*ret = strtab_add_span(n->profile->strings, readable);
	return true;
}

static void name_function(struct namer *n, struct function *f)
{
	struct span name = str_span(n->profile->strings, f->system_name);

	if (f->name && f->name != f->system_name)
		return;
	if (demangle_name(n, name, &f->name))
		return;
	/* macOS puts an underscore before every name. */
	if (span_starts(name, "_") &&
	    demangle_name(n, span_of(name.at + 1, name.len - 1), &f->name))
		return;
	f->name = looks_like_cplusplus(name) ? shorten(n, name)
					     : f->system_name;
}

int profile_demangle(struct profile *p, enum name_mode mode, bool force)
{
	static const unsigned flags[] = {
		[NAME_MODE_DEFAULT] = DEMANGLE_PPROF,
		[NAME_MODE_TEMPLATES] = DEMANGLE_PPROF_TEMPLATES,
		[NAME_MODE_FULL] = DEMANGLE_PPROF_FULL,
		[NAME_MODE_NONE] = 0,
	};
	struct namer n = { .profile = p, .flags = flags[mode] };
	bool failed;
	int r = profile_own_functions(p);

	if (r < 0)
		return r;
	for (uint32_t i = 1; force && i < p->functions.count; i++) {
		struct function *f = &p->functions.at[i];

		if (f->name && f->system_name)
			f->name = f->system_name;
	}
	if (mode == NAME_MODE_NONE)
		return 0;
	n.demangler = demangler_new(&n.scratch);
	if (!n.demangler)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->functions.count; i++)
		name_function(&n, &p->functions.at[i]);
	failed = n.scratch.failed || p->arena->failed;
	arena_release(&n.scratch);
	return failed ? -ENOMEM : 0;
}

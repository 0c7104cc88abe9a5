/* SPDX-License-Identifier: MIT */
/* From files to a profile that can be asked: see open.h. */
#include "report/open.h"

#include <errno.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "profile/merge.h"
#include "profile/profile.h"
#include "profile/relabel.h"
#include "profile/scale.h"
#include "report/load.h"
#include "report/prune.h"
#include "symbol/demangle.h"
#include "symbolize/locate.h"
#include "symbolize/profile.h"

/* Makes the base's values negative and marks its samples. */
static int negate(struct profile *p)
{
	int r = profile_negate(p);

	return r < 0 ? r : profile_set_label(p, "pprof::base", "true");
}

static int load_all(struct profile **all, unsigned count, struct arena *arena,
		    char *const *files, struct error *err)
{
	int r = 0;

	for (unsigned i = 0; i < count && r == 0; i++) {
		all[i] = ARENA_NEW(arena, struct profile);
		r = all[i] ? profile_load(all[i], arena, files[i], err)
			   : error_set(err, -ENOMEM, "out of memory");
	}
	return r;
}

static int load_base(struct profile **ret, struct arena *arena,
		     const char *file, struct error *err)
{
	char *const files[] = { (char *)file, NULL };
	int r = load_all(ret, 1, arena, files, err);

	if (r == 0 && negate(*ret) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	return r;
}

static int add_up(struct profile *p, struct profile **all, unsigned count,
		  struct arena *arena, struct error *err)
{
	int r = profile_compatible_types(all, count, err);

	if (r < 0)
		return r;
	if (count == 1) {
		*p = *all[0];
		return 0;
	}
	r = profile_init(p, arena);
	if (r < 0)
		return error_set(err, r, "out of memory");
	return profile_merge(p, (const struct profile *const *)all, count, err);
}

/*
 * Mangled names in their short form.  Others stay as they are: pprof cuts
 * brackets from those as well, and with them from "(anonymous namespace)".
 */
int profile_make_readable(struct profile *p)
{
	struct arena scratch = { 0 };
	struct demangler *d = demangler_new(&scratch);

	for (uint32_t i = 1; d && i < p->functions.count; i++) {
		struct function *f = &p->functions.at[i];
		struct span text;

		if (demangle(d, str_span(p->strings, f->name), DEMANGLE_SHORT,
			     &text))
			f->name = strtab_add_span(p->strings, text);
	}
	arena_release(&scratch);
	return d && !p->arena->failed ? 0 : -ENOMEM;
}

/* Finds names, and drops what they say is not interesting. */
static int refine(struct profile *p, struct sink *talk)
{
	const struct profile_symbols how = { .talk = talk };
	struct error remark;
	int r;

	locate_binaries(p, talk);
	r = profile_symbolize(p, &how);
	if (r == 0)
		r = profile_make_readable(p);
	if (r == 0)
		r = profile_remove_uninteresting(p, &remark);
	if (r == 0 && talk && remark.text[0])
		sink_format(talk, "%s\n", remark.text);
	return r;
}

int profile_open(struct profile *p, struct arena *arena, char *const *files,
		 const struct open_options *options, struct error *err)
{
	struct profile **all;
	unsigned count = 0;
	int r;

	while (files[count])
		count++;
	all = ARENA_ARRAY(arena, struct profile *, count + 1);
	if (!all)
		return error_set(err, -ENOMEM, "out of memory");
	r = load_all(all, count, arena, files, err);
	if (r == 0 && options->base)
		r = load_base(&all[count++], arena, options->base, err);
	if (r == 0)
		r = add_up(p, all, count, arena, err);
	if (r < 0)
		return r;
	r = refine(p, options->talk);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

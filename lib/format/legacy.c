/* SPDX-License-Identifier: MIT */
/*
 * The legacy formats as one: they have no common mark, so each is asked in
 * turn, in pprof's order, since a file may fit more than one.
 */
#include "format/legacy.h"

#include <errno.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "format/format.h"
#include "format/legacy_build.h"
#include "format/legacy_parser.h"
#include "profile/profile.h"

static const struct legacy_parser *const parsers[] = {
	&legacy_cpu,	    &legacy_heap, &legacy_count,    &legacy_thread,
	&legacy_contention, &legacy_java, &legacy_jemalloc,
};

static bool legacy_detect(struct span data)
{
	for (size_t i = 0; i < ARRAY_SIZE(parsers); i++)
		if (parsers[i]->detect(data))
			return true;
	return false;
}

/* What a parser that gives up has built is dropped; p is not touched then. */
static int read_with(const struct legacy_parser *parser, struct profile *p,
		     struct span data, struct error *err)
{
	struct arena arena = { .limit = p->arena->limit };
	struct legacy_build b;
	int r = legacy_begin(&b, &arena);

	if (r == 0)
		r = parser->read(&b, data, err);
	if (r == 0)
		r = legacy_finish(&b, p, err);
	if (r == -ENOMEM)
		error_set(err, r, "there is not enough memory to read it");
	arena_release(&arena);
	return r;
}

static int legacy_read(struct profile *p, struct span data, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(parsers); i++) {
		int r = -ENOTSUP;

		if (parsers[i]->detect(data))
			r = read_with(parsers[i], p, data, err);
		if (r != -ENOTSUP)
			return r;
	}
	return error_set(err, -ENOTSUP, "it has no header of a profile");
}

const struct format format_legacy = {
	.name = "legacy",
	.extensions = "prof heap",
	.summary = "text and binary profiles of gperftools, Go, Java, jemalloc",
	.detect = legacy_detect,
	.read = legacy_read,
};

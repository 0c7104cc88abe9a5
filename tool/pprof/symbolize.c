/* SPDX-License-Identifier: MIT */
/* See symbolize.h. */
#include "pprof/symbolize.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "pprof/arguments.h"
#include "pprof/symbolz.h"
#include "pprof/talk.h"
#include "symbolize/profile.h"

static const struct {
	const char *word;
	struct symbolize_mode set; /* force: added; the rest: in place of */
	bool where;		   /* whether it says where to look */
	bool shown;		   /* whether it says how names are shown */
} words[] = {
	{ .word = "" },
	{ .word = "none", .set.none = true },
	{ .word = "no", .set.none = true },
	{ .word = "local", .where = true, .set.local = true },
	{ .word = "fastlocal",
	  .where = true,
	  .set = { .local = true, .fast = true } },
	{ .word = "remote", .where = true, .set.remote = true },
	{ .word = "force", .set.force = true },
	{ .word = "demangle=default" },
	{ .word = "demangle=full",
	  .shown = true,
	  .set = { .force = true, .names = NAME_MODE_FULL } },
	{ .word = "demangle=templates",
	  .shown = true,
	  .set = { .force = true, .names = NAME_MODE_TEMPLATES } },
	{ .word = "demangle=none",
	  .shown = true,
	  .set = { .force = true, .names = NAME_MODE_NONE } },
};

static bool apply(struct symbolize_mode *mode, const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].word) != len ||
		    strncasecmp(words[i].word, word, len) != 0)
			continue;
		mode->none |= words[i].set.none;
		mode->force |= words[i].set.force;
		if (words[i].where) {
			mode->local = words[i].set.local;
			mode->remote = words[i].set.remote;
			mode->fast |= words[i].set.fast;
		}
		if (words[i].shown)
			mode->names = words[i].set.names;
		return true;
	}
	return false;
}

struct symbolize_mode symbolize_parse(const char *text)
{
	struct symbolize_mode mode = { .local = true, .remote = true };
	const char *at = text;

	for (;;) {
		size_t len = strcspn(at, ":");

		if (!apply(&mode, at, len)) {
			talk("ignoring unrecognized symbolization option: %s",
			     text);
			talk("expecting -symbolize=[local|fastlocal|remote|"
			     "none][:force][:demangle=[none|full|templates|"
			     "default]");
		}
		if (!at[len] || mode.none)
			return mode;
		at += len + 1;
	}
}

static int symbolize_locally(struct profile *p,
			     const struct symbolize_mode *mode)
{
	struct arena arena = { 0 };
	struct sink remarks = sink_to_memory(&arena);
	const struct profile_symbols how = {
		.force = mode->force,
		.fast = mode->fast,
		.talk = &remarks,
	};
	int r = profile_symbolize(p, &how);

	if (remarks.used)
		talk_text(sink_bytes(&remarks));
	arena_release(&arena);
	return r;
}

int symbolize(struct profile *p, const struct arguments *a,
	      const struct origins *origins, struct error *err)
{
	struct symbolize_mode mode = symbolize_parse(a->symbolize);
	int r = 0;

	if (mode.none)
		return 0;
	if (mode.local)
		r = symbolize_locally(p, &mode);
	if (r < 0)
		return error_set(err, r, "out of memory");
	if (mode.remote)
		r = symbolz_apply(p, mode.force, origins, &a->tls, err);
	if (r < 0)
		return r;
	r = profile_demangle(p, mode.names, mode.force);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

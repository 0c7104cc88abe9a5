/* SPDX-License-Identifier: MIT */
/* See flag.h.  The messages are those of Go's own parser. */
#include "pprof/flag.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "pprof/gosyntax.h"

/* A flag as it was written: the name between dashes and '=', and its value. */
struct word {
	const char *name;
	int len;
	const char *value; /* behind '='; NULL: none there */
};

static int store(const struct flag *flag, const char *value)
{
	int64_t whole;
	int r;

	switch (flag->kind) {
	case FLAG_BOOL:
		return go_parse_bool(value, flag->value);
	case FLAG_INT:
		r = go_parse_int(value, true, 64, &whole);
		if (r < 0)
			return r;
		if (whole < INT_MIN || whole > INT_MAX)
			return -ERANGE;
		*(int *)flag->value = (int)whole;
		return 0;
	case FLAG_REAL:
		return go_parse_float(value, flag->value);
	case FLAG_TEXT:
		*(const char **)flag->value = value;
		return 0;
	case FLAG_CHOICE:
		break;
	}
	ASSERT(false); /* a choice is several flags */
	return -EINVAL;
}

static int set(const struct flag *flag, const char *value, struct error *err)
{
	int r = store(flag, value);
	char quoted[200];

	if (r == 0)
		return 0;
	go_quote(value, quoted, sizeof(quoted));
	if (flag->kind == FLAG_BOOL)
		return error_set(
			err, -EINVAL,
			"invalid boolean value %s for -%s: parse error", quoted,
			flag->name);
	return error_set(err, -EINVAL, "invalid value %s for flag -%s: %s",
			 quoted, flag->name,
			 r == -ERANGE ? "value out of range" : "parse error");
}

static const struct flag *find(const struct flag *flags, unsigned count,
			       const struct word *w)
{
	for (unsigned i = 0; i < count; i++)
		if (!strncmp(flags[i].name, w->name, (size_t)w->len) &&
		    !flags[i].name[w->len])
			return &flags[i];
	return NULL;
}

static bool asks_for_help(const struct word *w)
{
	return (w->len == 1 && w->name[0] == 'h') ||
	       (w->len == 4 && !strncmp(w->name, "help", 4));
}

static int split(const char *text, struct word *w, struct error *err)
{
	const char *name = text + (text[1] == '-' ? 2 : 1);
	const char *equals = strchr(name, '=');

	if (!*name || *name == '-' || *name == '=')
		return error_set(err, -EINVAL, "bad flag syntax: %s", text);
	*w = (struct word){
		.name = name,
		.len = (int)(equals ? equals - name : (long)strlen(name)),
		.value = equals ? equals + 1 : NULL,
	};
	return 0;
}

/* Reads the flag at argv[0]; returns how many words it took. */
static int parse_one(const struct flag *flags, unsigned count,
		     char *const *argv, struct error *err)
{
	const struct flag *flag;
	struct word w = { 0 };
	int taken = 1;
	int r = split(argv[0], &w, err);

	if (r < 0)
		return r;
	flag = find(flags, count, &w);
	if (!flag && asks_for_help(&w))
		return -ENOENT;
	if (!flag)
		return error_set(err, -EINVAL,
				 "flag provided but not defined: -%.*s", w.len,
				 w.name);

	if (!w.value && flag->kind == FLAG_BOOL) {
		w.value = "true";
	} else if (!w.value) {
		w.value = argv[taken++];
		if (!w.value)
			return error_set(err, -EINVAL,
					 "flag needs an argument: -%s",
					 flag->name);
	}
	r = set(flag, w.value, err);
	return r < 0 ? r : taken;
}

int flags_parse(const struct flag *flags, unsigned count, char *const *argv,
		struct error *err)
{
	int at = 0;

	while (argv[at] && argv[at][0] == '-' && argv[at][1]) {
		int taken;

		if (!strcmp(argv[at], "--"))
			return at + 1;
		taken = parse_one(flags, count, argv + at, err);
		if (taken < 0)
			return taken;
		at += taken;
	}
	return at;
}

/* SPDX-License-Identifier: MIT */
/* See config.h. */
#include "pprof/config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "pprof/gosyntax.h"

#define QUOTED_SIZE 200

const struct option options[] = {
#define OPTION(name_, kind_, field_, argument_, value_, url_, saved_, \
	       summary_, more_) \
	{ \
		.name = (name_), \
		.kind = kind_, \
		.offset = offsetof(struct config, field_), \
		.argument = (argument_), \
		.url = (url_), \
		.saved = (saved_), \
		.summary = (summary_), \
		.more = (more_), \
	},
#include "pprof/rows.inc"
};
const unsigned option_count = ARRAY_SIZE(options);

const struct choice choices[] = {
#define CHOICE(option_, name_, summary_, more_) \
	{ \
		.option = (option_), \
		.name = (name_), \
		.summary = (summary_), \
		.more = (more_), \
	},
#include "pprof/rows.inc"
};
const unsigned choice_count = ARRAY_SIZE(choices);

const struct option *option_find(const char *name)
{
	for (unsigned i = 0; i < option_count; i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

const struct choice *choice_find(const char *name)
{
	for (unsigned i = 0; i < choice_count; i++)
		if (!strcmp(choices[i].name, name))
			return &choices[i];
	return NULL;
}

void config_init(struct config *c)
{
	*c = (struct config){
		.view = view_default,
		.sort = "flat",
		.granularity = "",
	};
}

void *config_variable(struct config *c, const struct option *o)
{
	return (char *)c + o->offset;
}

static const void *variable(const struct config *c, const struct option *o)
{
	return (const char *)c + o->offset;
}

void config_get(const struct config *c, const struct option *o, char *text,
		size_t size)
{
	const void *v = variable(c, o);
	const char *value;

	switch (o->kind) {
	case FLAG_BOOL:
		snprintf(text, size, "%s", *(const bool *)v ? "true" : "false");
		return;
	case FLAG_INT:
		snprintf(text, size, "%d", *(const int *)v);
		return;
	case FLAG_REAL:
		go_float_text(*(const double *)v, text, size);
		return;
	case FLAG_TEXT:
	case FLAG_CHOICE:
		value = *(const char *const *)v;
		snprintf(text, size, "%s", value ? value : "");
		return;
	}
}

/* More words than Go's own; "" is one of them, so that "mean=" switches on. */
static int set_bool(bool *v, const char *value, struct error *err)
{
	static const char *const yes[] = { "true", "t", "yes", "y", "1", "" };
	static const char *const no[] = { "false", "f", "no", "n", "0" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (!strcasecmp(value, yes[i])) {
			*v = true;
			return 0;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		if (!strcasecmp(value, no[i])) {
			*v = false;
			return 0;
		}
	}
	return error_set(err, -EINVAL, "illegal value \"%s\" for bool variable",
			 value);
}

static int number_error(int r, const char *function, const char *value,
			struct error *err)
{
	char quoted[QUOTED_SIZE];

	go_quote(value, quoted, sizeof(quoted));
	return error_set(
		err, -EINVAL, "strconv.%s: parsing %s: %s", function, quoted,
		r == -ERANGE ? "value out of range" : "invalid syntax");
}

static int set_int(int *v, const char *value, struct error *err)
{
	int64_t whole;
	int r = go_parse_int(value, false, 64, &whole);

	if (r == 0 && (whole < INT_MIN || whole > INT_MAX))
		r = -ERANGE;
	if (r < 0)
		return number_error(r, "Atoi", value, err);
	*v = (int)whole;
	return 0;
}

static int set_real(double *v, const char *value, struct error *err)
{
	int r = go_parse_float(value, v);

	return r < 0 ? number_error(r, "ParseFloat", value, err) : 0;
}

static int set_text(const char **v, struct arena *arena, const char *value,
		    struct error *err)
{
	const char *copy = arena_text(arena, value, strlen(value));

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory");
	*v = copy;
	return 0;
}

static int set_choice(const char **v, const struct option *o, const char *value,
		      struct error *err)
{
	const struct choice *c = choice_find(value);
	char quoted[QUOTED_SIZE];

	if (c && !strcmp(c->option, o->name)) {
		*v = c->name;
		return 0;
	}
	go_quote(value, quoted, sizeof(quoted));
	return error_set(err, -EINVAL, "invalid \"%s\" value %s", o->name,
			 quoted);
}

static int set_option(struct config *c, struct arena *arena,
		      const struct option *o, const char *value,
		      struct error *err)
{
	void *v = config_variable(c, o);

	switch (o->kind) {
	case FLAG_BOOL:
		return set_bool(v, value, err);
	case FLAG_INT:
		return set_int(v, value, err);
	case FLAG_REAL:
		return set_real(v, value, err);
	case FLAG_TEXT:
		return set_text(v, arena, value, err);
	case FLAG_CHOICE:
		break;
	}
	return set_choice(v, o, value, err);
}

int config_set(struct config *c, struct arena *arena, const char *name,
	       const char *value, struct error *err)
{
	const struct option *o = option_find(name);
	const struct choice *choice = choice_find(name);
	char quoted[QUOTED_SIZE];
	bool on = false;

	if (o)
		return set_option(c, arena, o, value, err);
	if (choice && go_parse_bool(value, &on) == 0 && on)
		return set_option(c, arena, option_find(choice->option), name,
				  err);

	/* pprof does not take a choice's bare name either, against its manual,
	 * and scripts may go on after the error with what was set before. */
	go_quote(name, quoted, sizeof(quoted));
	if (choice)
		return error_set(err, -EINVAL,
				 "unknown config field %s; did you mean: %s=%s",
				 quoted, choice->option, name);
	return error_set(err, -EINVAL, "unknown config field %s", quoted);
}

static enum granularity granularity_of(const char *name)
{
	static const char *const names[] = {
		[GRANULARITY_FUNCTIONS] = "functions",
		[GRANULARITY_FILEFUNCTIONS] = "filefunctions",
		[GRANULARITY_FILES] = "files",
		[GRANULARITY_LINES] = "lines",
		[GRANULARITY_ADDRESSES] = "addresses",
	};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return i;
	return GRANULARITY_FUNCTIONS;
}

struct view config_view(const struct config *c)
{
	struct view v = c->view;

	v.sort_cum = !strcmp(c->sort, "cum");
	v.granularity = granularity_of(c->granularity);
	return v;
}

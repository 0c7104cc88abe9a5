/* SPDX-License-Identifier: MIT */
/*
 * The command line of "wick pprof".  Checks come in pprof's order, so that the
 * first complaint about a bad line is the same.
 */
#include "pprof/arguments.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "base/fmt.h"
#include "pprof/flag.h"
#include "pprof/object.h"
#include "pprof/talk.h"
#include "pprof/verbs.h"

/* clang-format off */
enum {
	CHOICE_ROWS = 0
#define CHOICE(...) + 1
#include "pprof/rows.inc"
	, VERB_ROWS = 0
#define VERB(...) + 1
#include "pprof/rows.inc"
	, FLAG_ROWS = CHOICE_ROWS + VERB_ROWS
#define OPTION(...) + 1
#define SOURCE_FLAG(...) + 1
#include "pprof/rows.inc"
};
/* clang-format on */

/* Flags that are not variables of their own until all have been read. */
struct parsed {
	bool choice[CHOICE_ROWS];
	bool verb[VERB_ROWS];
	const char *verb_regex[VERB_ROWS];
	struct flag flags[FLAG_ROWS];
	unsigned count;
};

static void add(struct parsed *p, const char *name, enum flag_kind kind,
		void *value)
{
	ASSERT(p->count < FLAG_ROWS);
	p->flags[p->count++] = (struct flag){ .name = name,
					      .kind = kind,
					      .value = value };
}

static void add_source_flags(struct parsed *p, struct arguments *a)
{
#define SOURCE_FLAG(name_, kind_, field_, ...) add(p, name_, kind_, &a->field_);
#include "pprof/rows.inc"
}

static void add_options(struct parsed *p, struct config *c)
{
	for (unsigned i = 0; i < option_count; i++)
		if (options[i].kind != FLAG_CHOICE)
			add(p, options[i].name, options[i].kind,
			    config_variable(c, &options[i]));
	for (unsigned i = 0; i < CHOICE_ROWS; i++)
		add(p, choices[i].name, FLAG_BOOL, &p->choice[i]);
}

static void add_verbs(struct parsed *p)
{
	for (unsigned i = 0; i < VERB_ROWS; i++) {
		p->verb_regex[i] = "";
		if (verbs[i].takes_regex)
			add(p, verbs[i].name, FLAG_TEXT, &p->verb_regex[i]);
		else
			add(p, verbs[i].name, FLAG_BOOL, &p->verb[i]);
	}
}

static void list_choices(const struct parsed *p, const char *option, char *text,
			 size_t size)
{
	size_t len = 0;

	for (unsigned i = 0; i < CHOICE_ROWS; i++)
		if (p->choice[i] && !strcmp(choices[i].option, option))
			len += fmt_text(text + len, size - len, "%s%s",
					len ? " " : "", choices[i].name);
}

static int take_choices(const struct parsed *p, struct config *c,
			struct error *err)
{
	for (unsigned i = 0; i < CHOICE_ROWS; i++) {
		const char *option = choices[i].option;
		char names[100];

		if (!p->choice[i])
			continue;
		for (unsigned j = 0; j < i; j++) {
			if (!p->choice[j] ||
			    strcmp(choices[j].option, option) != 0)
				continue;
			list_choices(p, option, names, sizeof(names));
			return error_set(err, -EINVAL,
					 "conflicting options set: [%s]",
					 names);
		}
		*(const char **)config_variable(
			c, option_find(option)) = choices[i].name;
	}
	return 0;
}

static int take_verb(const struct parsed *p, struct arguments *a,
		     struct error *err)
{
	for (unsigned i = 0; i < VERB_ROWS; i++) {
		if (!p->verb[i] && !p->verb_regex[i][0])
			continue;
		if (a->verb)
			return error_set(err, -EINVAL,
					 "must set at most one output format");
		a->verb = &verbs[i];
		a->verb_argument = verbs[i].takes_regex ? p->verb_regex[i]
							: NULL;
	}
	return 0;
}

static int check_http(const struct arguments *a, struct error *err)
{
	if (a->verb && a->http[0])
		return error_set(err, -EINVAL,
				 "-http is not compatible with an output "
				 "format on the command line");
	if (a->no_browser && !a->http[0])
		return error_set(err, -EINVAL,
				 "-no_browser only makes sense with -http");
	return 0;
}

static void take_selection(struct arguments *a)
{
	static const struct {
		const char *flag;
		const char *type;
	} rows[] = {
		[SELECT_TOTAL_DELAY] = { "total_delay", "delay" },
		[SELECT_MEAN_DELAY] = { "mean_delay", "delay" },
		[SELECT_CONTENTIONS] = { "contentions", "contentions" },
		[SELECT_INUSE_SPACE] = { "inuse_space", "inuse_space" },
		[SELECT_INUSE_OBJECTS] = { "inuse_objects", "inuse_objects" },
		[SELECT_ALLOC_SPACE] = { "alloc_space", "alloc_space" },
		[SELECT_ALLOC_OBJECTS] = { "alloc_objects", "alloc_objects" },
	};
	struct view *view = &a->config.view;

	for (unsigned i = 0; i < SELECT_COUNT; i++) {
		if (!a->selected[i])
			continue;
		if (view->sample_index && view->sample_index[0])
			talk("Multiple value selections, ignoring -%s",
			     rows[i].flag);
		else
			view->sample_index = rows[i].type;
	}
	if (a->selected[SELECT_MEAN_DELAY])
		view->mean = true;
}

static int check_bases(const struct arguments *a, struct error *err)
{
	if (a->base[0] && a->diff_base[0])
		return error_set(err, -EINVAL,
				 "-base and -diff_base flags cannot both be "
				 "specified");
	if (a->config.normalize && !a->base[0] && !a->diff_base[0])
		return error_set(err, -EINVAL,
				 "must have base profile to normalize by");
	return 0;
}

/* A first operand that is an object file names the program. */
static void take_operands(struct arguments *a, char *const *operands)
{
	unsigned count = 0;

	while (operands[count])
		count++;
	if (count > 1 && object_is_one(operands[0])) {
		a->binary = operands[0];
		operands++;
		count--;
	}
	a->sources = operands;
	a->source_count = count;
}

static void set_defaults(struct arguments *a)
{
	*a = (struct arguments){
		.binary = "",
		.base = "",
		.diff_base = "",
		.build_id = "",
		.symbolize = "",
		.comment = "",
		.tools = "",
		.http = "",
		.tls = { .certificate = "", .key = "", .authority = "" },
		.seconds = -1,
		.timeout = -1,
	};
	config_init(&a->config);
}

int arguments_parse(struct arguments *a, char *const *argv, struct error *err)
{
	struct parsed p = { 0 };
	int r;

	set_defaults(a);
	add_source_flags(&p, a);
	add_options(&p, &a->config);
	add_verbs(&p);

	r = flags_parse(p.flags, p.count, argv, err);
	a->wants_help = r == -ENOENT;
	if (a->wants_help)
		return 0;
	a->wants_usage = r < 0 || !argv[r];
	if (r < 0)
		return r;
	if (!argv[r])
		return error_set(err, -EINVAL, "no profile source specified");
	take_operands(a, argv + r);

	r = take_choices(&p, &a->config, err);
	if (r == 0)
		r = take_verb(&p, a, err);
	if (r == 0)
		r = check_http(a, err);
	if (r < 0)
		return r;
	take_selection(a);
	return check_bases(a, err);
}

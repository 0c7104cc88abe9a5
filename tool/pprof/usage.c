/* SPDX-License-Identifier: MIT */
/* See usage.h. */
#include "pprof/usage.h"

#include <string.h>

#include "base/check.h"
#include "base/sink.h"
#include "pprof/config.h"
#include "pprof/flag.h"
#include "pprof/verbs.h"
#include "term/wrap.h"

/* A name, what follows it, and what it does. */
struct entry {
	const char *name;
	const char *argument; /* NULL: none */
	const char *summary;
};

#define SUMMARY_COLUMN 28
#define WIDTH	       80

static void print(struct sink *out, const struct entry *e)
{
	const struct wrap w = { .column = SUMMARY_COLUMN,
				.indent = SUMMARY_COLUMN,
				.width = WIDTH };
	size_t len = 4 + strlen(e->name);

	sink_format(out, "    %s", e->name);
	if (e->argument) {
		sink_format(out, "=%s", e->argument);
		len += 1 + strlen(e->argument);
	}
	sink_repeat(out, ' ', len < SUMMARY_COLUMN ? SUMMARY_COLUMN - len : 1);
	wrap_text(out, e->summary, &w);
}

static void print_verbs(struct sink *out)
{
	for (unsigned i = 0; i < verb_count; i++)
		print(out, &(struct entry){
				   .name = verbs[i].name,
				   .summary = verbs[i].summary,
			   });
}

static void print_choices(struct sink *out, const struct option *o)
{
	sink_format(out, "\n  %s: %s\n", o->name, o->summary);
	for (unsigned i = 0; i < choice_count; i++)
		if (!strcmp(choices[i].option, o->name))
			print(out, &(struct entry){
					   .name = choices[i].name,
					   .summary = choices[i].summary,
				   });
}

static void print_options(struct sink *out)
{
	for (unsigned i = 0; i < option_count; i++)
		if (options[i].kind != FLAG_CHOICE)
			print(out, &(struct entry){
					   .name = options[i].name,
					   .argument = options[i].argument,
					   .summary = options[i].summary,
				   });
	for (unsigned i = 0; i < option_count; i++)
		if (options[i].kind == FLAG_CHOICE)
			print_choices(out, &options[i]);
}

/* What no table has a row for. */
static void print_others(struct sink *out)
{
	static const struct entry rows[] = {
		{ "o, options", NULL, "lists the options and their values" },
		{ ":", NULL,
		  "clears focus, ignore, hide, tagfocus and tagignore" },
		{ "q, quit, exit, ^D", NULL, "leaves" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		print(out, &rows[i]);
}

void usage_shell(struct sink *out)
{
	sink_text(out, "  commands:\n");
	print_verbs(out);
	print_others(out);
	sink_text(out, "\n  options, set with name=value:\n");
	print_options(out);
	sink_text(out, "\n  \"help name\" tells more of a command or an "
		       "option.\n");
}

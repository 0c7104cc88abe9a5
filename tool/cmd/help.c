/* SPDX-License-Identifier: MIT */
/* wick help: explain wick or one of its commands. */
#include <stddef.h>

#include "base/json.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/dispatch.h"
#include "cmd/helptext.h"
#include "term/output.h"

static struct {
	bool json;
} opt;

static const struct opt opts[] = {
	OPT_FLAG(0, "json", &opt.json, "print commands and options as JSON"),
	OPT_END,
};

static void optional(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	if (text)
		json_text(j, text);
	else
		json_null(j);
}

static void texts(struct json *j, const char *key, const char *const *text)
{
	json_key(j, key);
	json_open(j, '[');
	for (; text && *text; text++)
		json_text(j, *text);
	json_close(j, ']');
}

static void options(struct json *j, const struct opt *o)
{
	const char *group = NULL;

	json_key(j, "options");
	json_open(j, '[');
	for (; o && o->kind != OPT_KIND_END; o++) {
		char letter[] = { o->letter, '\0' };

		if (!opt_is_option(o)) {
			group = o->name;
			continue;
		}
		json_open(j, '{');
		optional(j, "name", o->name);
		optional(j, "letter", o->letter ? letter : NULL);
		optional(j, "argument", o->argument);
		json_key(j, "help");
		json_text(j, o->help);
		texts(j, "choices", o->choices);
		optional(j, "group", group);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void command(struct json *j, const struct command *c)
{
	json_open(j, '{');
	json_key(j, "name");
	json_text(j, c->name);
	json_key(j, "summary");
	json_text(j, c->summary);
	json_key(j, "usage");
	json_text(j, c->usage);
	json_key(j, "style");
	json_text(j, c->style == OPT_STYLE_GO ? "go" : "gnu");
	texts(j, "choices", c->choices);
	options(j, c->opts);
	json_close(j, '}');
}

/* only NULL: all commands. */
static int print_json(const struct command *only, struct error *err)
{
	struct sink *out = output_open(OUTPUT_DATA);
	struct json j = json_to(out);

	json_open(&j, '{');
	json_key(&j, "wick");
	json_open(&j, '{');
	options(&j, wick_opts);
	json_close(&j, '}');
	json_key(&j, "common");
	json_open(&j, '{');
	options(&j, common_opts);
	json_close(&j, '}');
	json_key(&j, "commands");
	json_open(&j, '[');
	for (const struct command *const *c = commands; *c; c++)
		if (!only || only == *c)
			command(&j, *c);
	json_close(&j, ']');
	json_close(&j, '}');
	sink_char(out, '\n');
	return output_close(err);
}

static int help_run(int argc, char **argv, struct error *err)
{
	const struct command *c = NULL;

	if (argc > 1)
		return usage_error(err, "unexpected argument '%s'", argv[1]);
	if (argc == 1) {
		c = command_find(argv[0], err);
		if (!c)
			return EXIT_USAGE;
	}
	return opt.json ? print_json(c, err) : helptext_print(c, err);
}

const struct command cmd_help = {
	.name = "help",
	.summary = "explain wick or one of its commands",
	.usage = "wick help [--json] [COMMAND]",
	.opts = opts,
	.operands = ARG_COMMAND,
	.run = help_run,
};

/* SPDX-License-Identifier: MIT */
/* Completion for fish: one "complete" line per command and option. */
#include <stddef.h>

#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/dispatch.h"
#include "cmd/shell.h"

static void quote(struct sink *out, const char *text)
{
	sink_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			sink_char(out, '\\');
		sink_char(out, *text);
	}
	sink_char(out, '\'');
}

static void choices_text(struct sink *out, const char *const *choices)
{
	sink_text(out, " -a '");
	for (size_t i = 0; choices[i]; i++)
		sink_format(out, "%s%s", i ? " " : "", choices[i]);
	sink_text(out, "'");
}

/* What to offer for an argument of a kind; files are fish's own default. */
static void offer(struct sink *out, enum arg_kind kind,
		  const char *const *choices)
{
	static const char *const fixed[] = {
		[ARG_DIRECTORY] = " -a '(__fish_complete_directories)'",
		[ARG_PROGRAM] = " -a '(__fish_complete_subcommand)'",
		[ARG_PID] = " -a '(__fish_complete_pids)'",
		[ARG_FILE] = " -F",
		[ARG_COMMAND] = " -a '(__wick_commands)'",
	};

	if (kind == ARG_CHOICE)
		choices_text(out, choices);
	else if (kind > ARG_TEXT)
		sink_text(out, fixed[kind]);
}

/* when: the rest of a "complete" command that says where it applies. */
static void begin(struct sink *out, const struct command *c)
{
	if (c)
		sink_format(
			out,
			"complete -c wick -n '__fish_seen_subcommand_from %s'",
			c->name);
	else
		sink_text(out, "complete -c wick -n __fish_use_subcommand");
}

/* c NULL: options that stand before the command. */
static void options(struct sink *out, const struct command *c,
		    const struct opt *o)
{
	bool go = c && c->style == OPT_STYLE_GO;

	for (; o && o->kind != OPT_KIND_END; o++) {
		if (!opt_is_option(o))
			continue;
		begin(out, c);
		if (o->letter)
			sink_format(out, " -s %c", o->letter);
		if (o->name)
			sink_format(out, " -%c %s", go ? 'o' : 'l', o->name);
		if (o->argument)
			sink_text(out, o->value == ARG_FILE ? " -r" : " -x");
		offer(out, o->value, o->choices);
		sink_text(out, " -d ");
		quote(out, o->help);
		sink_char(out, '\n');
	}
}

static void operands(struct sink *out, const struct command *c)
{
	if (c->operands == ARG_NONE || c->operands == ARG_TEXT)
		return;
	begin(out, c);
	offer(out, c->operands, c->choices);
	sink_char(out, '\n');
}

static void write_fish(struct sink *out, const struct command *const *all)
{
	sink_text(out, "# Completion of wick for fish; made by "
		       "'wick completion fish'.\n\n"
		       "function __wick_commands\n");
	for (const struct command *const *c = all; *c; c++) {
		sink_format(out, "\tprintf '%%s\\t%%s\\n' %s ", (*c)->name);
		quote(out, (*c)->summary);
		sink_char(out, '\n');
	}
	sink_text(out, "end\n\ncomplete -c wick -f\n"
		       "complete -c wick -n __fish_use_subcommand "
		       "-a '(__wick_commands)'\n");
	options(out, NULL, wick_opts);
	options(out, NULL, common_opts);
	for (const struct command *const *c = all; *c; c++) {
		sink_char(out, '\n');
		options(out, *c, (*c)->opts);
		if ((*c)->style == OPT_STYLE_GNU)
			options(out, *c, common_opts);
		operands(out, *c);
	}
}

const struct shell shell_fish = { .name = "fish", .write = write_fish };

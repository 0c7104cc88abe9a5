/* SPDX-License-Identifier: MIT */
/*
 * Completion for zsh: the rows become arguments of _arguments.  The script
 * works as the file _wick in $fpath and when sourced.
 */
#include <stddef.h>
#include <string.h>

#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/dispatch.h"
#include "cmd/shell.h"

/*
 * Text inside single quotes, with a backslash before what _arguments and
 * _describe would take as the end of a part.
 */
static void quote(struct sink *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'') {
			sink_text(out, "'\\''");
			continue;
		}
		if (strchr("[]:\\", *text))
			sink_char(out, '\\');
		sink_char(out, *text);
	}
}

/* ":FILE:_files" behind an option or in place of an operand. */
static void offer(struct sink *out, const char *label, enum arg_kind kind,
		  const char *const *choices)
{
	static const char *const actions[] = {
		[ARG_TEXT] = " ",
		[ARG_FILE] = "_files",
		[ARG_DIRECTORY] = "_files -/",
		[ARG_PROGRAM] = "_command_names -e",
		[ARG_PID] = "_pids",
		[ARG_COMMAND] = "_wick_commands",
	};

	sink_char(out, ':');
	quote(out, label);
	sink_char(out, ':');
	if (kind != ARG_CHOICE) {
		sink_text(out, actions[kind]);
		return;
	}
	sink_char(out, '(');
	for (size_t i = 0; choices[i]; i++)
		sink_format(out, "%s%s", i ? " " : "", choices[i]);
	sink_char(out, ')');
}

/* "'(-o --output)'{-o+,--output=}" or "'--output=" */
static void spelling(struct sink *out, const struct opt *o,
		     enum opt_style style)
{
	const char *dashes = style == OPT_STYLE_GO ? "-" : "--";
	const char *star = o->kind == OPT_KIND_LIST ? "*" : "";

	if (o->letter && o->name && *star)
		sink_format(out, "'*'{-%c+,--%s=}'", o->letter, o->name);
	else if (o->letter && o->name)
		sink_format(out, "'(-%c --%s)'{-%c%s,--%s%s}'", o->letter,
			    o->name, o->letter, o->argument ? "+" : "", o->name,
			    o->argument ? "=" : "");
	else if (o->letter)
		sink_format(out, "'%s-%c%s", star, o->letter,
			    o->argument ? "+" : "");
	else
		sink_format(out, "'%s%s%s%s", star, dashes, o->name,
			    o->argument ? "=" : "");
}

static void options(struct sink *out, const struct opt *o, enum opt_style style)
{
	for (; o && o->kind != OPT_KIND_END; o++) {
		if (!opt_is_option(o))
			continue;
		sink_text(out, " \\\n\t\t\t");
		spelling(out, o, style);
		sink_char(out, '[');
		quote(out, o->help);
		sink_char(out, ']');
		if (o->argument)
			offer(out, o->argument, o->value, o->choices);
		sink_char(out, '\'');
	}
}

static void operands(struct sink *out, const struct command *c)
{
	if (c->operands == ARG_NONE)
		return;
	sink_text(out, " \\\n\t\t\t'*");
	offer(out, "argument", c->operands, c->choices);
	sink_char(out, '\'');
}

static void write_names(struct sink *out, const struct command *const *all)
{
	sink_text(out, "_wick_commands() {\n"
		       "\tlocal -a commands=(\n");
	for (const struct command *const *c = all; *c; c++) {
		sink_format(out, "\t\t'%s:", (*c)->name);
		quote(out, (*c)->summary);
		sink_text(out, "'\n");
	}
	sink_text(out, "\t)\n"
		       "\t_describe -t commands command commands\n"
		       "}\n\n");
}

static void write_zsh(struct sink *out, const struct command *const *all)
{
	sink_text(out, "#compdef wick\n"
		       "# Completion of wick for zsh; made by "
		       "'wick completion zsh'.\n\n");
	write_names(out, all);
	sink_text(out, "_wick() {\n"
		       "\tlocal curcontext=$curcontext state line\n"
		       "\tlocal -A opt_args\n"
		       "\n"
		       "\t_arguments -C -s -S");
	options(out, wick_opts, OPT_STYLE_GNU);
	options(out, common_opts, OPT_STYLE_GNU);
	sink_text(out, " \\\n\t\t\t': :_wick_commands'"
		       " \\\n\t\t\t'*:: :->arguments' && return\n"
		       "\t[[ $state == arguments ]] || return 1\n"
		       "\tcurcontext=${curcontext%:*:*}:wick-$words[1]:\n"
		       "\tcase $words[1] in\n");
	for (const struct command *const *c = all; *c; c++) {
		bool gnu = (*c)->style == OPT_STYLE_GNU;

		sink_format(out, "\t%s)\n\t\t_arguments%s", (*c)->name,
			    gnu ? " -s -S" : "");
		options(out, (*c)->opts, (*c)->style);
		if (gnu)
			options(out, common_opts, OPT_STYLE_GNU);
		operands(out, *c);
		sink_text(out, "\n\t\t;;\n");
	}
	sink_text(out, "\tesac\n"
		       "}\n"
		       "\n"
		       "if [[ $funcstack[1] == _wick ]]; then\n"
		       "\t_wick \"$@\"\n"
		       "else\n"
		       "\tcompdef _wick wick\n"
		       "fi\n");
}

const struct shell shell_zsh = { .name = "zsh", .write = write_zsh };

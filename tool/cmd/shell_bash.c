/* SPDX-License-Identifier: MIT */
/*
 * Completion for bash.  The script needs nothing but bash 4: the package
 * bash-completion may be missing on a server.
 */
#include <stddef.h>

#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/dispatch.h"
#include "cmd/shell.h"

/* bash splits words at '=', so "--color=al" arrives as three of them. */
static const char prologue[] =
	"\n"
	"_wick_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
	"_wick_files() {\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
	"}\n"
	"\n"
	"_wick() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal command= i\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\tif [[ $cur == = ]]; then\n"
	"\t\tcur=\n"
	"\telif [[ $prev == = ]]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n";

static const char find_command[] = "\t\t-* | =) ;;\n"
				   "\t\t*)\n"
				   "\t\t\tcommand=${COMP_WORDS[i]}\n"
				   "\t\t\tbreak\n"
				   "\t\t\t;;\n"
				   "\t\tesac\n"
				   "\tdone\n"
				   "\tcase $command in\n";

static const char epilogue[] = "\tesac\n"
			       "}\n"
			       "\n"
			       "complete -F _wick wick\n";

/* The statement that offers arguments of a kind. */
static void offer(struct sink *out, enum arg_kind kind,
		  const char *const *choices)
{
	static const char *const fixed[] = {
		[ARG_FILE] = "_wick_files -f",
		[ARG_DIRECTORY] = "_wick_files -d",
		[ARG_PROGRAM] = "_wick_files -c",
		[ARG_PID] = "_wick_words \"$(cd /proc && echo [0-9]*)\"",
		[ARG_COMMAND] = "_wick_words \"$_wick_commands\"",
	};

	switch (kind) {
	case ARG_CHOICE:
		sink_text(out, "_wick_words '");
		for (size_t i = 0; choices[i]; i++)
			sink_format(out, "%s%s", i ? " " : "", choices[i]);
		sink_text(out, "'");
		return;
	case ARG_NONE:
	case ARG_TEXT:
		sink_text(out, ":");
		return;
	default:
		sink_text(out, fixed[kind]);
	}
}

/* "-o | --output" */
static void pattern(struct sink *out, const struct opt *o, enum opt_style style)
{
	const char *dashes = style == OPT_STYLE_GO ? "-" : "--";

	if (o->letter)
		sink_format(out, "-%c%s", o->letter, o->name ? " | " : "");
	if (o->name)
		sink_format(out, "%s%s", dashes, o->name);
	if (o->name && style == OPT_STYLE_GO)
		sink_format(out, " | --%s", o->name);
}

/* The cases for values of options, if the word before is one of them. */
static void values(struct sink *out, const struct opt *o, enum opt_style style)
{
	for (; o && o->kind != OPT_KIND_END; o++) {
		if (!opt_is_option(o) || !o->argument)
			continue;
		sink_text(out, "\t\t");
		pattern(out, o, style);
		sink_text(out, ")\n\t\t\t");
		offer(out, o->value, o->choices);
		sink_text(out, "\n\t\t\treturn\n\t\t\t;;\n");
	}
}

static void names(struct sink *out, const struct opt *o, enum opt_style style)
{
	const char *dashes = style == OPT_STYLE_GO ? "-" : "--";

	for (; o && o->kind != OPT_KIND_END; o++) {
		if (!opt_is_option(o))
			continue;
		if (o->letter)
			sink_format(out, " -%c", o->letter);
		if (o->name)
			sink_format(out, " %s%s", dashes, o->name);
	}
}

struct place {
	const struct opt *own;
	const struct opt *common;
	enum opt_style style;
	enum arg_kind operands;
	const char *const *choices;
};

static void write_place(struct sink *out, const struct place *p)
{
	sink_text(out, "\t\tcase $prev in\n");
	values(out, p->own, p->style);
	values(out, p->common, p->style);
	sink_text(out, "\t\tesac\n"
		       "\t\tif [[ $cur == -* ]]; then\n"
		       "\t\t\t_wick_words '");
	names(out, p->own, p->style);
	names(out, p->common, p->style);
	sink_text(out, "'\n\t\telse\n\t\t\t");
	offer(out, p->operands, p->choices);
	sink_text(out, "\n\t\tfi\n\t\t;;\n");
}

/* Options before the command whose value must not be taken for it. */
static void skip_values(struct sink *out, const struct opt *o)
{
	for (; o->kind != OPT_KIND_END; o++) {
		if (!opt_is_option(o) || !o->argument)
			continue;
		sink_text(out, "\t\t");
		pattern(out, o, OPT_STYLE_GNU);
		sink_text(out,
			  ")\n"
			  "\t\t\t[[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))\n"
			  "\t\t\t((i++))\n"
			  "\t\t\t;;\n");
	}
}

static void write_bash(struct sink *out, const struct command *const *all)
{
	struct place top = {
		.own = wick_opts,
		.common = common_opts,
		.operands = ARG_COMMAND,
	};

	sink_text(out, "# Completion of wick for bash; made by "
		       "'wick completion bash'.\n\n_wick_commands='");
	for (const struct command *const *c = all; *c; c++)
		sink_format(out, "%s%s", c == all ? "" : " ", (*c)->name);
	sink_text(out, "'\n");
	sink_text(out, prologue);
	skip_values(out, wick_opts);
	skip_values(out, common_opts);
	sink_text(out, find_command);
	sink_text(out, "\t'')\n");
	write_place(out, &top);
	for (const struct command *const *c = all; *c; c++) {
		struct place p = {
			.own = (*c)->opts,
			.common = (*c)->style == OPT_STYLE_GNU ? common_opts
							       : NULL,
			.style = (*c)->style,
			.operands = (*c)->operands,
			.choices = (*c)->choices,
		};

		sink_format(out, "\t%s)\n", (*c)->name);
		write_place(out, &p);
	}
	sink_text(out, epilogue);
}

const struct shell shell_bash = { .name = "bash", .write = write_bash };

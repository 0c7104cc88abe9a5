/* SPDX-License-Identifier: MIT */
/* See dispatch.h.  Commands see neither of these tables. */
#include "cmd/dispatch.h"

#include <stddef.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/helptext.h"
#include "cmd/opt.h"
#include "term/colour.h"
#include "term/pager.h"

static struct {
	bool help;
	bool version;
	bool pager;
	unsigned colour;
} opt = {
	.pager = true,
	.colour = COLOUR_AUTO,
};

static const char *const colour_choices[] = {
	[COLOUR_AUTO] = "auto",
	[COLOUR_ALWAYS] = "always",
	[COLOUR_NEVER] = "never",
	NULL,
};

const struct opt wick_opts[] = {
	OPT_FLAG('V', "version", &opt.version, "print the version"),
	OPT_END,
};

const struct opt common_opts[] = {
	OPT_FLAG('h', "help", &opt.help, "print this help"),
	OPT_CHOICE(0, "color", &opt.colour, "WHEN", colour_choices,
		   "when to use colour"),
	OPT_UNSET(0, "no-pager", &opt.pager,
		  "print long results straight to the terminal"),
	OPT_END,
};

static int parse(const struct opt_parser *p, char **argv, struct error *err)
{
	int n = opt_parse(p, argv, err);

	if (n < 0)
		return n;
	colour_choose(opt.colour);
	pager_allow(opt.pager);
	return n;
}

static bool asks_for_help(const char *arg)
{
	return arg && (!strcmp(arg, "-h") || !strcmp(arg, "-help") ||
		       !strcmp(arg, "--help"));
}

static int count(char **argv)
{
	int n = 0;

	while (argv[n])
		n++;
	return n;
}

static int run_go_style(const struct command *c, char **argv, struct error *err)
{
	if (asks_for_help(argv[0]))
		return helptext_print(c, err);
	return c->run(count(argv), argv, err);
}

static int run(const struct command *c, char **argv, struct error *err)
{
	struct opt_parser parser = {
		.own = c->opts,
		.common = common_opts,
		.stop_at_operand = c->stop_at_operand,
		.dashes = c->dashes,
	};
	int n;

	if (c->style == OPT_STYLE_GO)
		return run_go_style(c, argv, err);
	n = parse(&parser, argv, err);
	if (n < 0)
		return EXIT_USAGE;

	if (opt.help)
		return helptext_print(c, err);
	if (n && c->operands == ARG_NONE)
		return usage_error(err, "unexpected argument '%s'", argv[0]);
	return c->run(n, argv, err);
}

int dispatch(char **argv, const struct command **ret_command, struct error *err)
{
	static const struct opt_parser parser = {
		.own = wick_opts,
		.common = common_opts,
		.stop_at_operand = true,
	};
	int n = parse(&parser, argv, err);

	*ret_command = NULL;
	if (n < 0)
		return EXIT_USAGE;
	if (opt.help)
		return helptext_print(NULL, err);
	if (opt.version)
		return cmd_version.run(0, argv, err);
	if (!n) {
		helptext_complain(NULL);
		return EXIT_USAGE;
	}

	*ret_command = command_find(argv[0], err);
	if (!*ret_command)
		return EXIT_USAGE;
	return run(*ret_command, argv + 1, err);
}

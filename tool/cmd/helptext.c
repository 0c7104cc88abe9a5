/* SPDX-License-Identifier: MIT */
/*
 * See helptext.h.  80 columns unless the terminal is narrower: wider lines are
 * harder to read, and "make check" holds us to 80.
 */
#include "cmd/helptext.h"

#include <string.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/dispatch.h"
#include "term/colour.h"
#include "term/output.h"
#include "term/width.h"
#include "term/wrap.h"

#define HELP_COLUMN 26 /* where the explanations of options begin */
#define HELP_WIDTH  80

static void heading(const struct helptext *h, const char *text)
{
	sink_format(h->out, "\n%s%s:%s\n", h->palette->bold, text,
		    h->palette->reset);
}

static void paragraph(const struct helptext *h, const char *text)
{
	struct wrap w = { .width = h->width };

	wrap_text(h->out, text, &w);
}

/* A line per form of the command, under each other. */
static void usage(const struct helptext *h, const char *text)
{
	static const char label[] = "Usage: ";
	const unsigned indent = sizeof(label) - 1;
	struct wrap w = { .column = indent,
			  .indent = indent,
			  .width = h->width };

	sink_format(h->out, "%s%s%s", h->palette->bold, label,
		    h->palette->reset);
	wrap_text(h->out, text, &w);
}

/* Writes one row of two columns; term is already indented. */
static void entry(const struct helptext *h, const char *term, unsigned column,
		  const char *help)
{
	size_t len = strlen(term);
	struct wrap w = { .column = column,
			  .indent = column,
			  .width = h->width };

	sink_text(h->out, term);
	if (len + 1 < column) {
		sink_repeat(h->out, ' ', column - len);
	} else {
		sink_char(h->out, '\n');
		sink_repeat(h->out, ' ', column);
	}
	wrap_text(h->out, help, &w);
}

/* "  -o, --output=FILE" */
static void format_term(char *buf, size_t size, const struct opt *o,
			enum opt_style style)
{
	const char *argument = o->argument ? o->argument : "";
	const char *equals = !o->argument ? "" : o->name ? "=" : " ";

	if (style == OPT_STYLE_GO)
		fmt_text(buf, size, "  -%s%s%s", o->name, equals, argument);
	else if (!o->letter)
		fmt_text(buf, size, "      --%s%s%s", o->name, equals,
			 argument);
	else if (!o->name)
		fmt_text(buf, size, "  -%c%s%s", o->letter, equals, argument);
	else
		fmt_text(buf, size, "  -%c, --%s%s%s", o->letter, o->name,
			 equals, argument);
}

/* "use colour (auto, always, never)" */
static void format_help(char *buf, size_t size, const struct opt *o)
{
	size_t len = fmt_text(buf, size, "%s", o->help);

	if (!o->choices)
		return;
	for (const char *const *c = o->choices; *c && len < size; c++)
		len += fmt_text(buf + len, size - len, "%s%s",
				c == o->choices ? " (" : ", ", *c);
	if (len < size)
		fmt_text(buf + len, size - len, ")");
}

static void option_rows(const struct helptext *h, const struct opt *o,
			enum opt_style style)
{
	for (; o && o->kind != OPT_KIND_END; o++) {
		char term[128];
		char help[1024];

		if (!opt_is_option(o)) {
			heading(h, o->name);
			continue;
		}
		format_term(term, sizeof(term), o, style);
		format_help(help, sizeof(help), o);
		entry(h, term, HELP_COLUMN, help);
	}
}

static void wick_help(const struct helptext *h)
{
	unsigned column = 0;
	char term[64];

	usage(h, "wick [options] COMMAND [argument...]");
	sink_char(h->out, '\n');
	paragraph(h, "wick shows where a program's time and memory go.");
	heading(h, "Commands");
	for (const struct command *const *c = commands; *c; c++)
		if (strlen((*c)->name) + 4 > column)
			column = (unsigned)strlen((*c)->name) + 4;
	for (const struct command *const *c = commands; *c; c++) {
		fmt_text(term, sizeof(term), "  %s", (*c)->name);
		entry(h, term, column, (*c)->summary);
	}
	heading(h, "Options");
	option_rows(h, wick_opts, OPT_STYLE_GNU);
	option_rows(h, common_opts, OPT_STYLE_GNU);
	sink_char(h->out, '\n');
	paragraph(h,
		  "'wick help COMMAND' explains a command; wick(1) has more.");
}

static void command_help(const struct helptext *h, const struct command *c)
{
	bool grouped = c->opts && c->opts->kind == OPT_KIND_GROUP;

	usage(h, c->usage);
	sink_char(h->out, '\n');
	paragraph(h, c->summary);
	if (c->about) {
		sink_char(h->out, '\n');
		paragraph(h, c->about);
	}
	if (!grouped)
		heading(h, "Options");
	option_rows(h, c->opts, c->style);
	if (c->style == OPT_STYLE_GNU) {
		if (grouped)
			heading(h, "Common options");
		option_rows(h, common_opts, OPT_STYLE_GNU);
	}
	if (c->examples) {
		heading(h, "Examples");
		paragraph(h, c->examples);
	}
}

void helptext_write(const struct helptext *h, const struct command *c)
{
	if (c)
		command_help(h, c);
	else
		wick_help(h);
}

static unsigned help_width(int fd)
{
	unsigned width = term_width(fd);

	return width < HELP_WIDTH ? width : HELP_WIDTH;
}

int helptext_print(const struct command *c, struct error *err)
{
	struct helptext h = {
		.width = help_width(STDOUT_FILENO),
		.out = output_open(OUTPUT_PAGED),
		.palette = colour_palette(STDOUT_FILENO),
	};

	helptext_write(&h, c);
	return output_close(err);
}

void helptext_complain(const struct command *c)
{
	char buf[4096];
	struct sink out = sink_to_fd(STDERR_FILENO, buf, sizeof(buf));
	struct helptext h = {
		.width = help_width(STDERR_FILENO),
		.out = &out,
		.palette = colour_palette(STDERR_FILENO),
	};

	helptext_write(&h, c);
	(void)sink_flush(&out); /* the exit status tells the rest */
}

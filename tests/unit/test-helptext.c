/* SPDX-License-Identifier: MIT */
/* How --help looks, for options of every kind. */
#include "cmd/helptext.h"

#include "base/arena.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "term/colour.h"
#include "test.h"

static struct {
	bool flag;
	unsigned number;
	const char *text;
} opt;

static const char *const orders[] = { "flat", "cum", NULL };

static const struct opt gnu_opts[] = {
	OPT_GROUP("Input"),
	OPT_FILE('i', "input", &opt.text, "FILE", "read FILE"),
	OPT_GROUP("Output"),
	OPT_FLAG('q', NULL, &opt.flag, "be quiet"),
	OPT_CHOICE(0, "sort", &opt.number, "ORDER", orders, "order of rows"),
	OPT_STRING(0, "a-name-that-is-long", &opt.text, "TEXT",
		   "explained by a text that needs more than one line of help, "
		   "because there is so much to say about it"),
	OPT_END,
};

static const struct opt go_opts[] = {
	OPT_ROW("top", NULL, ARG_NONE, "print the top functions"),
	OPT_ROW("focus", "REGEX", ARG_TEXT, "keep what matches"),
	OPT_END,
};

static const struct command gnu = {
	.name = "gnu",
	.summary = "do it",
	.usage = "wick gnu [options] FILE\nwick gnu --other",
	.about = "One paragraph.\n\nAnother one.",
	.examples = "  wick gnu -i x",
	.opts = gnu_opts,
};

static const struct command go = {
	.name = "go",
	.summary = "do it as Go does",
	.usage = "wick go [options]",
	.opts = go_opts,
	.style = OPT_STYLE_GO,
};

static struct arena arena;

static const char *help(const struct command *c, unsigned width)
{
	struct sink out = sink_to_memory(&arena);
	struct helptext h = { .out = &out,
			      .palette = colour_palette(-1),
			      .width = width };

	helptext_write(&h, c);
	sink_char(&out, '\0');
	return (const char *)sink_bytes(&out).at;
}

TEST(everything_has_its_place)
{
	CHECK_STR(
		help(&gnu, 80),
		"Usage: wick gnu [options] FILE\n"
		"       wick gnu --other\n"
		"\n"
		"do it\n"
		"\n"
		"One paragraph.\n"
		"\n"
		"Another one.\n"
		"\n"
		"Input:\n"
		"  -i, --input=FILE        read FILE\n"
		"\n"
		"Output:\n"
		"  -q                      be quiet\n"
		"      --sort=ORDER        order of rows (flat, cum)\n"
		"      --a-name-that-is-long=TEXT\n"
		"                          explained by a text that needs more than one line of\n"
		"                          help, because there is so much to say about it\n"
		"\n"
		"Common options:\n"
		"  -h, --help              print this help\n"
		"      --color=WHEN        when to use colour (auto, always, never)\n"
		"      --no-pager          print long results straight to the terminal\n"
		"\n"
		"Examples:\n"
		"  wick gnu -i x\n");
}

TEST(options_in_gos_style_have_one_dash_and_no_common_ones)
{
	CHECK_STR(help(&go, 80),
		  "Usage: wick go [options]\n"
		  "\n"
		  "do it as Go does\n"
		  "\n"
		  "Options:\n"
		  "  -top                    print the top functions\n"
		  "  -focus=REGEX            keep what matches\n");
}

TEST(a_narrow_terminal_gets_narrow_help)
{
	const char *text = help(&gnu, 40);
	unsigned column = 0;

	for (; *text; text++) {
		column = *text == '\n' ? 0 : column + 1;
		CHECK(column <= 40);
	}
}

/* SPDX-License-Identifier: MIT */
/* Command lines, good and bad, against a table with every kind of row. */
#include "cmd/opt.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "test.h"

static struct {
	bool heap;
	bool symbols;
	unsigned hertz;
	const char *output;
	unsigned sort;
	struct opt_list pids;
	char call[32];
	bool help;
} opt;

static int take_call(const char *value, struct error *err)
{
	if (!strcmp(value, "bad"))
		return error_set(err, -EINVAL, "'%s' is not good", value);
	strncpy(opt.call, value, sizeof(opt.call) - 1);
	return 0;
}

static const char *const orders[] = { "flat", "cum", NULL };

static const struct opt own[] = {
	OPT_GROUP("Recording"),
	OPT_FLAG('m', "heap", &opt.heap, "record allocations"),
	OPT_UNSET(0, "no-symbols", &opt.symbols, "leave symbols for later"),
	OPT_UINT('F', "frequency", &opt.hertz, "HZ", "samples a second"),
	OPT_FILE('o', "output", &opt.output, "FILE", "write to FILE"),
	OPT_GROUP("Report"),
	OPT_CHOICE(0, "sort", &opt.sort, "ORDER", orders, "order of rows"),
	OPT_LIST('p', "pid", &opt.pids, "PID", ARG_PID, "attach to PID"),
	OPT_CALL(0, "call", take_call, "X", "calls a function"),
	OPT_END,
};

static const struct opt common[] = {
	OPT_FLAG('h', "help", &opt.help, "print help"),
	OPT_END,
};

static struct error err;
static char *args[16];

/* Parses the words of line, which is changed; the operands are in args. */
static int parse_with(struct opt_parser p, char *line)
{
	int n = 0;

	memset(&opt, 0, sizeof(opt));
	opt.symbols = true;
	err = (struct error){ 0 };
	for (char *w = strtok(line, " "); w; w = strtok(NULL, " "))
		args[n++] = w;
	args[n] = NULL;
	return opt_parse(&p, args, &err);
}

static int parse(const char *text)
{
	static char line[256];

	strcpy(line, text);
	return parse_with((struct opt_parser){ .own = own, .common = common },
			  line);
}

TEST(nothing_given_changes_nothing)
{
	CHECK_EQ(parse(""), 0);
	CHECK(!opt.heap && opt.symbols && !opt.output);
}

TEST(a_long_option_takes_its_value_after_equals_or_as_the_next_word)
{
	CHECK_EQ(parse("--output=a --frequency 99"), 0);
	CHECK_STR(opt.output, "a");
	CHECK_EQ(opt.hertz, 99);
}

TEST(a_value_may_be_empty_or_hold_an_equals_sign)
{
	CHECK_EQ(parse("--output="), 0);
	CHECK_STR(opt.output, "");
	CHECK_EQ(parse("--output=a=b"), 0);
	CHECK_STR(opt.output, "a=b");
}

TEST(letters_can_be_bundled_and_the_last_may_take_a_value)
{
	CHECK_EQ(parse("-mh"), 0);
	CHECK(opt.heap && opt.help);
	CHECK_EQ(parse("-mF99"), 0);
	CHECK_EQ(opt.hertz, 99);
	CHECK_EQ(parse("-mo x"), 0);
	CHECK_STR(opt.output, "x");
}

TEST(a_flag_can_be_cleared_by_its_no_form)
{
	CHECK_EQ(parse("--no-symbols"), 0);
	CHECK(!opt.symbols);
}

TEST(a_choice_is_stored_as_its_index)
{
	CHECK_EQ(parse("--sort=cum"), 0);
	CHECK_EQ(opt.sort, 1);
}

TEST(a_list_keeps_every_value_in_order)
{
	CHECK_EQ(parse("-p 1 --pid=2 -p3"), 0);
	CHECK_EQ(opt.pids.count, 3);
	CHECK_STR(opt.pids.at[0], "1");
	CHECK_STR(opt.pids.at[2], "3");
}

TEST(a_list_that_is_full_refuses_more)
{
	char *many[OPT_LIST_MAX + 2] = { NULL };
	char arg[] = "-p1";

	opt.pids.count = 0;
	for (int i = 0; i <= OPT_LIST_MAX; i++)
		many[i] = arg;
	CHECK_EQ(opt_parse(&(struct opt_parser){ .own = own }, many, &err),
		 -EINVAL);
	CHECK_STR(err.text, "option '-p' may be given at most 64 times");
}

TEST(a_function_may_take_or_refuse_a_value)
{
	CHECK_EQ(parse("--call=good"), 0);
	CHECK_STR(opt.call, "good");
	CHECK_EQ(parse("--call=bad"), -EINVAL);
	CHECK_STR(err.text, "option '--call': 'bad' is not good");
}

TEST(operands_keep_their_order_and_options_may_follow_them)
{
	CHECK_EQ(parse("a -m b --output=o - c"), 4);
	CHECK(opt.heap);
	CHECK_STR(args[0], "a");
	CHECK_STR(args[1], "b");
	CHECK_STR(args[2], "-");
	CHECK_STR(args[3], "c");
	CHECK(!args[4]);
}

TEST(two_dashes_end_the_options)
{
	CHECK_EQ(parse("-m -- --output=x -h"), 2);
	CHECK_STR(args[0], "--output=x");
	CHECK(!opt.help && !opt.output);
}

TEST(whether_dashes_ended_the_options_is_told)
{
	char with[] = "-m -- ls", without[] = "-m ls";
	bool dashes = false;
	struct opt_parser p = { .own = own,
				.common = common,
				.dashes = &dashes };

	CHECK_EQ(parse_with(p, without), 1);
	CHECK(!dashes);
	CHECK_EQ(parse_with(p, with), 1);
	CHECK(dashes);
}

TEST(parsing_can_stop_at_the_first_operand)
{
	char line[] = "-m program -h -- x";
	struct opt_parser p = { .own = own,
				.common = common,
				.stop_at_operand = true };

	CHECK_EQ(parse_with(p, line), 4);
	CHECK(opt.heap && !opt.help);
	CHECK_STR(args[0], "program");
	CHECK_STR(args[2], "--");
}

TEST(common_options_are_found_after_a_commands_own)
{
	CHECK_EQ(parse("--help -m"), 0);
	CHECK(opt.help && opt.heap);
}

TEST(a_mistyped_option_names_the_one_that_was_meant)
{
	CHECK_EQ(parse("--ouptut=x"), -EINVAL);
	CHECK_STR(err.text,
		  "unknown option '--ouptut'; did you mean '--output'?");
	CHECK_EQ(parse("--hlep"), -EINVAL);
	CHECK_STR(err.text, "unknown option '--hlep'; did you mean '--help'?");
	CHECK_EQ(parse("-sort=cum"), -EINVAL);
	CHECK_STR(err.text,
		  "unknown option '-sort=cum'; did you mean '--sort'?");
}

TEST(an_option_like_nothing_is_just_unknown)
{
	CHECK_EQ(parse("--zzz"), -EINVAL);
	CHECK_STR(err.text, "unknown option '--zzz'");
	CHECK_EQ(parse("-mz"), -EINVAL);
	CHECK_STR(err.text, "unknown option '-z'");
	CHECK_EQ(parse("--=x"), -EINVAL);
	CHECK_STR(err.text, "unknown option '--'");
}

TEST(a_missing_or_unwanted_value_is_refused)
{
	CHECK_EQ(parse("--output"), -EINVAL);
	CHECK_STR(err.text, "option '--output' needs a value (FILE)");
	CHECK_EQ(parse("-mo"), -EINVAL);
	CHECK_STR(err.text, "option '-o' needs a value (FILE)");
	CHECK_EQ(parse("--heap=1"), -EINVAL);
	CHECK_STR(err.text, "option '--heap' takes no value");
}

TEST(a_number_is_decimal_and_fits)
{
	CHECK_EQ(parse("-F 4294967295"), 0);
	CHECK_EQ(opt.hertz, 4294967295u);
	CHECK_EQ(parse("-F 4294967296"), -EINVAL);
	CHECK_STR(err.text, "option '-F': '4294967296' is too large "
			    "(at most 4294967295)");
	CHECK_EQ(parse("-F 12x"), -EINVAL);
	CHECK_STR(err.text, "option '-F' takes a whole number, not '12x'");
	CHECK_EQ(parse("--frequency="), -EINVAL);
	CHECK_EQ(parse("-F -1"), -EINVAL);
}

TEST(an_unknown_choice_names_the_one_that_was_meant)
{
	CHECK_EQ(parse("--sort=cmu"), -EINVAL);
	CHECK_STR(err.text,
		  "option '--sort' does not know 'cmu'; did you mean 'cum'?");
	CHECK_EQ(parse("--sort=size"), -EINVAL);
	CHECK_STR(err.text, "option '--sort' does not know 'size'");
}

TEST(a_group_is_not_an_option)
{
	CHECK_EQ(parse("--Recording"), -EINVAL);
}

TEST(a_name_that_is_very_long_is_refused_calmly)
{
	char line[] = "--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=x";

	CHECK_EQ(parse_with((struct opt_parser){ .own = own }, line), -EINVAL);
}

TEST(suggestions_are_offered_to_commands_that_parse_for_themselves)
{
	CHECK_STR(opt_suggest(own, "frequenzy"), "frequency");
	CHECK_STR(opt_suggest(own, "nothing"), NULL);
	CHECK_STR(opt_suggest(NULL, "output"), NULL);
}

/* SPDX-License-Identifier: MIT */
/* Command lines as Go programs read them. */
#include "pprof/flag.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/check.h"
#include "base/error.h"
#include "test.h"

static bool trim;
static int count;
static double fraction;
static const char *focus;
static struct error err;

static const struct flag flags[] = {
	{ .name = "trim", .kind = FLAG_BOOL, .value = &trim },
	{ .name = "count", .kind = FLAG_INT, .value = &count },
	{ .name = "fraction", .kind = FLAG_REAL, .value = &fraction },
	{ .name = "focus", .kind = FLAG_TEXT, .value = &focus },
};

#define PARSE(...) \
	flags_parse(flags, ARRAY_SIZE(flags), \
		    (char **)(const char *[]){ __VA_ARGS__, NULL }, &err)

TEST(one_dash_is_as_good_as_two)
{
	CHECK_EQ(PARSE("-count=3", "file"), 1);
	CHECK_EQ(count, 3);
	CHECK_EQ(PARSE("--count=4", "file"), 1);
	CHECK_EQ(count, 4);
	CHECK_EQ(PARSE("--count", "5", "file"), 2);
	CHECK_EQ(count, 5);
}

TEST(a_boolean_takes_a_value_only_behind_an_equals_sign)
{
	CHECK_EQ(PARSE("-trim", "false"), 1);
	CHECK(trim);
	CHECK_EQ(PARSE("-trim=false", "x"), 1);
	CHECK(!trim);
	CHECK_EQ(PARSE("-trim=T"), 1);
	CHECK(trim);
}

TEST(flags_end_at_the_first_word_that_is_none)
{
	CHECK_EQ(PARSE("a", "-trim"), 0);
	CHECK_EQ(PARSE("-", "-trim"), 0);
	CHECK_EQ(PARSE("-trim", "--", "-count"), 2);
	CHECK_EQ(PARSE("-count", "1", "b", "-nothing"), 2);
}

TEST(the_last_value_counts)
{
	CHECK_EQ(PARSE("-focus=a", "-focus", "b", "-focus="), 4);
	CHECK_STR(focus, "");
	CHECK_EQ(PARSE("-focus=a=b"), 1);
	CHECK_STR(focus, "a=b");
}

TEST(a_value_may_look_like_a_flag)
{
	CHECK_EQ(PARSE("-focus", "-trim"), 2);
	CHECK_STR(focus, "-trim");
	CHECK_EQ(PARSE("-count", "-7"), 2);
	CHECK_EQ(count, -7);
}

TEST(help_is_asked_for_in_four_ways)
{
	CHECK_EQ(PARSE("-trim", "-h"), -ENOENT);
	CHECK_EQ(PARSE("--h"), -ENOENT);
	CHECK_EQ(PARSE("-help"), -ENOENT);
	CHECK_EQ(PARSE("--help"), -ENOENT);
}

TEST(mistakes_are_named_in_the_words_of_go)
{
	CHECK_EQ(PARSE("-frobnicate=1"), -EINVAL);
	CHECK_STR(err.text, "flag provided but not defined: -frobnicate");
	CHECK_EQ(PARSE("-count"), -EINVAL);
	CHECK_STR(err.text, "flag needs an argument: -count");
	CHECK_EQ(PARSE("-count=x"), -EINVAL);
	CHECK_STR(err.text, "invalid value \"x\" for flag -count: parse error");
	CHECK_EQ(PARSE("-count=99999999999"), -EINVAL);
	CHECK_STR(err.text, "invalid value \"99999999999\" for flag -count: "
			    "value out of range");
	CHECK_EQ(PARSE("-fraction=1e999"), -EINVAL);
	CHECK_STR(err.text, "invalid value \"1e999\" for flag -fraction: "
			    "value out of range");
	CHECK_EQ(PARSE("-trim=maybe"), -EINVAL);
	CHECK_STR(err.text,
		  "invalid boolean value \"maybe\" for -trim: parse error");
	CHECK_EQ(PARSE("---trim"), -EINVAL);
	CHECK_STR(err.text, "bad flag syntax: ---trim");
	CHECK_EQ(PARSE("-=x"), -EINVAL);
	CHECK_STR(err.text, "bad flag syntax: -=x");
}

TEST(a_name_must_be_given_whole)
{
	CHECK_EQ(PARSE("-tri"), -EINVAL);
	CHECK_EQ(PARSE("-trimm"), -EINVAL);
}

/* SPDX-License-Identifier: MIT */
/* Lines of the shell. */
#include "pprof/request.h"

#include <errno.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "pprof/verbs.h"
#include "test.h"

static struct arena arena;
static struct error err;
static struct request r;

static int parse(const char *line)
{
	struct config config;
	struct words words;

	arena_release(&arena);
	config_init(&config);
	CHECK_EQ(words_split(&words, &arena, line), 0);
	return request_parse(&r, &words, &config, &arena, &err);
}

TEST(words_are_split_at_white_space)
{
	struct words w;

	CHECK_EQ(words_split(&w, &arena, "  a\t bc \n"), 0);
	CHECK_EQ(w.at.count, 2);
	CHECK_STR(w.at.at[0], "a");
	CHECK_STR(w.at.at[1], "bc");
	arena_release(&arena);
}

TEST(top_shows_ten_unless_told)
{
	CHECK_EQ(parse("top"), 0);
	CHECK_EQ(r.config.view.nodecount, 10);
	CHECK_EQ(parse("tree"), 0);
	CHECK_EQ(r.config.view.nodecount, -1);
	CHECK_EQ(parse("top 5"), 0);
	CHECK_EQ(r.config.view.nodecount, 5);
	CHECK_EQ(parse("top3"), 0);
	CHECK_STR(r.verb->name, "top");
	CHECK_EQ(r.config.view.nodecount, 3);
	CHECK_EQ(parse("tree4 6"), 0);
	CHECK_EQ(r.config.view.nodecount, 6);
	arena_release(&arena);
}

TEST(words_are_filters)
{
	CHECK_EQ(parse("top a b -c -d -cum"), 0);
	CHECK_STR(r.config.view.focus, "a|b");
	CHECK_STR(r.config.view.ignore, "c|d");
	CHECK_STR(r.config.sort, "cum");
	CHECK_EQ(parse("tags a -b"), 0);
	CHECK_STR(r.config.view.tagfocus, "a");
	CHECK_STR(r.config.view.tagignore, "b");
	arena_release(&arena);
}

TEST(a_number_too_large_for_a_count_is_a_filter)
{
	CHECK_EQ(parse("top 99999999999"), 0);
	CHECK_STR(r.config.view.focus, "99999999999");
	CHECK_EQ(parse("top99999999999"), 0);
	CHECK_STR(r.config.view.focus, "99999999999");
	arena_release(&arena);
}

TEST(some_commands_need_an_expression)
{
	CHECK_EQ(parse("list main foo"), 0);
	CHECK_STR(r.argument, "main");
	CHECK_STR(r.config.view.focus, "foo");
	CHECK_EQ(parse("list"), -EINVAL);
	CHECK_STR(err.text, "command list requires an argument");
	CHECK_EQ(parse("list5"), 0);
	CHECK_STR(r.argument, "5");
	arena_release(&arena);
}

TEST(a_report_can_go_to_a_file)
{
	CHECK_EQ(parse("top >out.txt"), 0);
	CHECK_STR(r.config.output, "out.txt");
	CHECK_EQ(parse("top > out.txt foo"), 0);
	CHECK_STR(r.config.output, "out.txt");
	CHECK_STR(r.config.view.focus, "foo");
	CHECK_EQ(parse("top >"), -EINVAL);
	CHECK_STR(err.text, "unexpected end of line after >");
	arena_release(&arena);
}

TEST(mistakes_are_named_as_pprof_names_them)
{
	CHECK_EQ(parse("nosuch"), -EINVAL);
	CHECK_STR(err.text, "unrecognized command: \"nosuch\"");
	CHECK_EQ(parse("nosuch7"), -EINVAL);
	CHECK_STR(err.text, "unrecognized command: \"nosuch\"");
	CHECK_EQ(parse("42"), -EINVAL);
	CHECK_STR(err.text, "unrecognized command: \"42\"");
	CHECK_EQ(parse("focus main"), -EINVAL);
	CHECK_STR(err.text, "did you mean: focus=main");
	CHECK_EQ(parse("lines x"), -EINVAL);
	CHECK_STR(err.text, "did you mean: lines=x");
	arena_release(&arena);
}

/* SPDX-License-Identifier: MIT */
/* Breaking text into lines. */
#include "term/wrap.h"

#include "base/arena.h"
#include "base/sink.h"
#include "test.h"

static struct arena arena;

static const char *wrapped(const char *text, struct wrap w)
{
	struct sink out = sink_to_memory(&arena);

	wrap_text(&out, text, &w);
	sink_char(&out, '\0');
	return (const char *)sink_bytes(&out).at;
}

TEST(a_short_text_is_one_line)
{
	CHECK_STR(wrapped("one two", (struct wrap){ .width = 20 }),
		  "one two\n");
	CHECK_STR(wrapped("", (struct wrap){ .width = 20 }), "\n");
}

TEST(blanks_in_a_row_count_as_one_and_never_end_a_line)
{
	CHECK_STR(wrapped("a.  b.  c", (struct wrap){ .width = 5 }),
		  "a. b.\nc\n");
	CHECK_STR(wrapped("a ", (struct wrap){ .width = 5 }), "a\n");
}

TEST(lines_break_between_words_and_use_the_whole_width)
{
	CHECK_STR(wrapped("aaa bbb ccc", (struct wrap){ .width = 7 }),
		  "aaa bbb\nccc\n");
	CHECK_STR(wrapped("aaa bbb ccc", (struct wrap){ .width = 6 }),
		  "aaa\nbbb\nccc\n");
}

TEST(later_lines_are_indented_and_the_first_starts_where_it_is)
{
	struct wrap w = { .column = 4, .indent = 2, .width = 9 };

	CHECK_STR(wrapped("aa bb cc dd", w), "aa bb\n  cc dd\n");
}

TEST(a_word_longer_than_a_line_stands_alone)
{
	CHECK_STR(wrapped("a bbbbbbbbbb c", (struct wrap){ .width = 5 }),
		  "a\nbbbbbbbbbb\nc\n");
}

TEST(newlines_are_kept_and_indented_lines_are_not_touched)
{
	struct wrap w = { .indent = 1, .width = 6 };

	CHECK_STR(wrapped("aa\n\nbb", w), "aa\n\n bb\n");
	CHECK_STR(wrapped("  wide   as it is", (struct wrap){ .width = 5 }),
		  "  wide   as it is\n");
}

TEST(a_newline_at_the_end_adds_no_empty_line)
{
	CHECK_STR(wrapped("aa\n", (struct wrap){ .width = 6 }), "aa\n");
}

/* SPDX-License-Identifier: MIT */
/* Which word was meant, and when it is better to say nothing. */
#include "cmd/suggest.h"

#include <limits.h>

#include "test.h"

static const char *meant(const char *typed, const char *const *words)
{
	struct suggestion s = { .typed = typed };

	for (; *words; words++)
		suggest_offer(&s, *words);
	return s.best;
}

static const char *const words[] = { "record", "report", "convert", "diff",
				     NULL };

TEST(distance_counts_each_kind_of_slip_as_one)
{
	CHECK_EQ(edit_distance("report", "report"), 0);
	CHECK_EQ(edit_distance("repot", "report"), 1);
	CHECK_EQ(edit_distance("repport", "report"), 1);
	CHECK_EQ(edit_distance("repart", "report"), 1);
	CHECK_EQ(edit_distance("reoprt", "report"), 1);
	CHECK_EQ(edit_distance("", "abc"), 3);
	CHECK_EQ(edit_distance("abc", ""), 3);
}

TEST(distance_of_a_word_that_is_too_long_is_infinite)
{
	char word[80] = "";

	for (int i = 0; i < 63; i++)
		word[i] = 'x';
	CHECK_EQ(edit_distance(word, "x"), 62);
	word[63] = 'x';
	CHECK_EQ(edit_distance(word, "x"), UINT_MAX);
	CHECK_EQ(edit_distance("x", word), UINT_MAX);
}

TEST(a_slip_is_recognised)
{
	CHECK_STR(meant("reprot", words), "report");
	CHECK_STR(meant("recrod", words), "record");
	CHECK_STR(meant("covnert", words), "convert");
	CHECK_STR(meant("dif", words), "diff");
}

TEST(an_unfinished_word_is_recognised)
{
	CHECK_STR(meant("conv", words), "convert");
	CHECK_STR(meant("di", words), "diff");
}

TEST(of_equally_near_words_the_first_offered_wins)
{
	CHECK_STR(meant("re", words), "record");
}

TEST(a_word_that_is_like_nothing_gets_no_suggestion)
{
	CHECK_STR(meant("frobnicate", words), NULL);
	CHECK_STR(meant("x", words), NULL);
	CHECK_STR(meant("", words), NULL);
}

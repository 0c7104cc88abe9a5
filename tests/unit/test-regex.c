/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions: what they mean, what they refuse, that they end.  The
 * oracle test "regex" compares them with Go's on many more.
 */
#include "report/regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "test.h"

/* 1 if the pattern matches the text, 0 if not, -1 if it has an error. */
static int matches(const char *pattern, const char *text)
{
	struct regex *re;
	bool match;

	if (regex_compile(&re, pattern, NULL) < 0)
		return -1;
	match = regex_match(re, text, strlen(text));
	regex_free(re);
	return match;
}

/* What is wrong with a pattern, without the words that are always the same. */
static const char *refusal(const char *pattern)
{
	static const char always[] = "error parsing regexp: ";
	static struct error err;
	struct regex *re;

	if (regex_compile(&re, pattern, &err) == 0) {
		regex_free(re);
		return "";
	}
	CHECK(!strncmp(err.text, always, sizeof(always) - 1));
	return err.text + sizeof(always) - 1;
}

/* Where the pattern and its first group match, as "0-3 1-2". */
static const char *found(const char *pattern, const char *text, size_t len)
{
	static char where[64];
	struct regex_range r[2];
	struct regex *re;
	unsigned n;

	CHECK_EQ(regex_compile(&re, pattern, NULL), 0);
	n = regex_find(re, text, len, r, 2);
	regex_free(re);
	if (!n)
		return "no";
	if (n == 1)
		snprintf(where, sizeof(where), "%zu-%zu", r[0].start, r[0].end);
	else
		snprintf(where, sizeof(where), "%zu-%zu %zd-%zd", r[0].start,
			 r[0].end, (ssize_t)r[1].start, (ssize_t)r[1].end);
	return where;
}

#define FOUND(pattern, text) found((pattern), (text), sizeof(text) - 1)

TEST(it_searches_and_needs_no_anchors)
{
	CHECK_EQ(matches("b", "abc"), 1);
	CHECK_EQ(matches("", ""), 1);
	CHECK_EQ(matches("^b", "abc"), 0);
	CHECK_EQ(matches("std::.*push_back", "std::vector::push_back"), 1);
}

TEST(the_first_alternative_wins_not_the_longest)
{
	CHECK_STR(FOUND("a|ab", "ab"), "0-1");
	CHECK_STR(FOUND("(a|ab)(c|bcd)", "abcd"), "0-4 0-1");
	CHECK_STR(FOUND("a+?", "aa"), "0-1");
	CHECK_STR(FOUND("(?U)a+", "aa"), "0-1");
	CHECK_STR(FOUND("(?U)a+?", "aa"), "0-2");
}

TEST(a_group_that_takes_no_part_has_no_place)
{
	CHECK_STR(FOUND("a|(b)", "a"), "0-1 -1--1");
	CHECK_STR(FOUND("([+-]?[[:digit:]]+)([[:alpha:]]+)?", "x-12kb"),
		  "1-6 1-4");
}

TEST(dollar_is_the_very_end)
{
	CHECK_EQ(matches("a$", "a\n"), 0);
	CHECK_EQ(matches("(?m)a$", "a\n"), 1);
	CHECK_EQ(matches("(?m)^$", "a\n"), 1);
	CHECK_EQ(matches("a\\z", "a"), 1);
	CHECK_EQ(matches("a.b", "a\nb"), 0);
	CHECK_EQ(matches("a.b", "a\rb"), 1);
	CHECK_EQ(matches("(?s)a.b", "a\nb"), 1);
	CHECK_EQ(matches("[^a]", "\n"), 1);
}

TEST(perl_and_posix_classes_are_ascii)
{
	CHECK_EQ(matches("\\s", "\v"), 0);
	CHECK_EQ(matches("[[:space:]]", "\v"), 1);
	CHECK_EQ(matches("\\w", "é"), 0);
	CHECK_EQ(matches("^\\W$", "é"), 1);
	CHECK_EQ(matches("é\\b", "é"), 0);
	CHECK_EQ(matches("[[:^alpha:]]", "a"), 0);
	CHECK_EQ(matches("^[[:word:]\\-]+$", "a-_9"), 1);
}

TEST(case_folds_as_in_unicode)
{
	CHECK_EQ(matches("(?i)straẞe", "STRAßE"), 1);
	CHECK_EQ(matches("(?i)ς", "Σ"), 1);
	CHECK_EQ(matches("(?i)K", "\u212a"), 1);
	CHECK_EQ(matches("(?i)[[:lower:]]", "A"), 1);
	CHECK_EQ(matches("(?i)^\\w$", "\u017f"), 1);
	CHECK_EQ(matches("(?i)^\\W$", "\u017f"), 0);
	CHECK_EQ(matches("(?i)^\\p{Lu}$", "é"), 1);
	CHECK_EQ(matches("(?i)^\\P{Lu}$", "é"), 0);
	CHECK_EQ(matches("(?i)^\\P{Lu}$", "漢"), 1);
	CHECK_EQ(matches("(?i:a)b", "AB"), 0);
	CHECK_EQ(matches("a(?i)b|c", "C"), 1);
}

TEST(unicode_groups_go_by_script_and_category)
{
	CHECK_EQ(matches("^\\pL+$", "aλ漢"), 1);
	CHECK_EQ(matches("\\p{Greek}", "λ"), 1);
	CHECK_EQ(matches("\\p{^Greek}", "λ"), 0);
	CHECK_EQ(matches("[\\P{Greek}\\d]", "λ"), 0);
	CHECK_STR(refusal("\\p{Klingon}"),
		  "invalid character class range: `\\p{Klingon}`");
	CHECK_STR(refusal("\\p{Grek}"),
		  "invalid character class range: `\\p{Grek}`");
}

TEST(escapes_stand_for_characters)
{
	CHECK_EQ(matches("^\\x41\\x{42}\\103\\.\\Q*+\\E$", "ABC.*+"), 1);
	CHECK_EQ(matches("\\a\\f\\n\\r\\t\\v", "\a\f\n\r\t\v"), 1);
	CHECK_EQ(matches("a{,2}", "a{,2}"), 1);
	CHECK_EQ(matches("[]a]", "]"), 1);
	CHECK_EQ(matches("[a-]", "-"), 1);
}

TEST(errors_are_in_gos_words)
{
	CHECK_STR(refusal("("), "missing closing ): `(`");
	CHECK_STR(refusal("a)b"), "unexpected ): `a)b`");
	CHECK_STR(refusal("[a"), "missing closing ]: `[a`");
	CHECK_STR(refusal("[z-a]"), "invalid character class range: `z-a`");
	CHECK_STR(refusal("*a"),
		  "missing argument to repetition operator: `*`");
	CHECK_STR(refusal("a**"), "invalid nested repetition operator: `**`");
	CHECK_STR(refusal("a++"), "invalid nested repetition operator: `++`");
	CHECK_STR(refusal("a{1001}"), "invalid repeat count: `{1001}`");
	CHECK_STR(refusal("(a{100}){11}"), "invalid repeat count: `{11}`");
	CHECK_STR(refusal("\\h"), "invalid escape sequence: `\\h`");
	CHECK_STR(refusal("(a)\\1"), "invalid escape sequence: `\\1`");
	CHECK_STR(refusal("\\C"), "invalid escape sequence: `\\C`");
	CHECK_STR(refusal("a\\"),
		  "trailing backslash at end of expression: ``");
	CHECK_STR(refusal("\xff"), "invalid UTF-8: `\xff`");
}

TEST(what_only_perl_has_is_refused)
{
	CHECK_STR(refusal("(?=a)"),
		  "invalid or unsupported Perl syntax: `(?=`");
	CHECK_STR(refusal("(?!a)"),
		  "invalid or unsupported Perl syntax: `(?!`");
	CHECK_STR(refusal("(?>a)"),
		  "invalid or unsupported Perl syntax: `(?>`");
	CHECK_STR(refusal("(?x)a"),
		  "invalid or unsupported Perl syntax: `(?x`");
	CHECK_STR(refusal("(?<=a)b"), "invalid named capture: `(?<=a)b`");
	CHECK_STR(refusal("(?<n>a)(?P<n>b)"), "");
}

TEST(bytes_that_are_not_utf8_count_as_one_character)
{
	CHECK_STR(FOUND("^a.b$", "a\xff"
				 "b"),
		  "0-3");
	CHECK_STR(FOUND("(b)", "\xe2\x84"
			       "b"),
		  "2-3 2-3");
	CHECK_STR(FOUND("\\x{fffd}", "a\x80"), "1-2");
	CHECK_STR(FOUND("a\\x00b", "a\0b"), "0-3");
}

/* A pattern of count opening and count closing parts. */
static char *nested(const char *open, size_t count, const char *close)
{
	char *s = malloc(count * (strlen(open) + strlen(close)) + 2);
	char *at = s;

	CHECK(s);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, open);
	at = stpcpy(at, "a");
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, close);
	return s;
}

TEST(nesting_has_a_limit)
{
	char *deep = nested("(", 1000, ")");
	char *deeper = nested("(", 1001, ")");
	char *wrapped = nested("", 300, "*(?i)");

	CHECK_EQ(matches(deep, "a"), 1);
	CHECK(!strncmp(refusal(deeper), "expression nests too deeply", 27));
	CHECK_EQ(matches(wrapped, "a"), 1);
	free(deep);
	free(deeper);
	free(wrapped);
}

TEST(a_hostile_pattern_ends_and_is_still_right_about_short_texts)
{
	static char text[2000];
	clock_t start = clock();
	struct regex *re;

	memset(text, 'a', sizeof(text));
	CHECK_EQ(regex_compile(&re, "(a*)*(a|aa)*(a|b|ab)*c$", NULL), 0);
	CHECK(!regex_match(re, text, 60));
	CHECK_EQ(regex_gave_up(re), 0);
	for (int i = 0; i < 200; i++)
		CHECK(!regex_match(re, text, sizeof(text)));
	CHECK(clock() - start < 60 * CLOCKS_PER_SEC);
	regex_free(re);
}

TEST(compiling_to_machine_code_changes_nothing)
{
	struct regex *re;

	CHECK_EQ(regex_compile(&re, "(?i)é[b-d]+$", NULL), 0);
	for (int i = 0; i < 5000; i++) {
		CHECK(regex_match(re, "xÉbCd", 6));
		CHECK(!regex_match(re, "xÉbCde", 7));
	}
	regex_free(re);
}

/* SPDX-License-Identifier: MIT */
/* Lines, spaces and numbers of text profiles. */
#include "format/legacy_text.h"

#include "test.h"

static const char *text_of(struct span s)
{
	static char buf[100];

	CHECK(s.len < sizeof(buf));
	if (s.len)
		memcpy(buf, s.at, s.len);
	buf[s.len] = '\0';
	return buf;
}

TEST(lines_come_without_their_ends)
{
	struct lines l = lines_of(span_text("one\r\n\ntwo\r\r\nthree"));

	CHECK_STR(text_of(l.line), "");
	CHECK(lines_next(&l));
	CHECK_STR(text_of(l.line), "one");
	CHECK(lines_next(&l));
	CHECK_STR(text_of(l.line), "");
	CHECK(lines_next(&l));
	CHECK_STR(text_of(l.line), "two\r");
	CHECK(lines_next(&l));
	CHECK_STR(text_of(l.line), "three");
	CHECK_EQ(l.number, 4);
	CHECK(!lines_next(&l));
	CHECK_STR(text_of(l.line), "");
	CHECK(!lines_next(&l));
}

TEST(a_newline_at_the_end_begins_no_line)
{
	struct lines l = lines_of(span_text("one\n"));

	CHECK(lines_next(&l));
	CHECK(!lines_next(&l));
}

TEST(remarks_are_skipped_up_to_the_end)
{
	struct lines l = lines_of(span_text("# a\n \t\n\nb\n#c"));

	lines_skip_remarks(&l);
	CHECK_STR(text_of(l.line), "b");
	lines_skip_remarks(&l);
	CHECK_STR(text_of(l.line), "");
}

TEST(runs_stop_at_other_characters)
{
	struct reader r = reader_of(span_text("12ab  xyz"));

	CHECK_STR(text_of(text_run(&r, TEXT_DIGIT)), "12");
	CHECK_STR(text_of(text_run(&r, TEXT_HEX)), "ab");
	CHECK_STR(text_of(text_run(&r, TEXT_HEX)), "");
	CHECK_STR(text_of(text_run_not(&r, TEXT_ACCESS)), "  ");
	CHECK(!text_take(&r, "xz"));
	CHECK(text_take(&r, "xy"));
	CHECK_STR(text_of(text_run(&r, TEXT_WORD)), "z");
	CHECK_STR(text_of(text_run(&r, TEXT_WORD)), "");
}

TEST(addresses_have_lower_case_digits)
{
	struct reader r = reader_of(span_text("0x1fG"));

	CHECK_STR(text_of(text_take_address(&r)), "0x1f");
	r = reader_of(span_text("0xG"));
	CHECK_STR(text_of(text_take_address(&r)), "");
	CHECK_EQ(reader_left(&r), 3);
	r = reader_of(span_text("0X1"));
	CHECK_STR(text_of(text_take_address(&r)), "");
}

static bool is_number(const char *text, unsigned base, int64_t expected)
{
	int64_t value = -77;

	return text_signed(span_text(text), base, &value) && value == expected;
}

static bool is_no_number(const char *text, unsigned base)
{
	int64_t value;

	return !text_signed(span_text(text), base, &value);
}

TEST(decimal_numbers_have_63_bits_and_a_sign)
{
	CHECK(is_number("0", 10, 0));
	CHECK(is_number("-0", 10, 0));
	CHECK(is_number("+12", 10, 12));
	CHECK(is_number("007", 10, 7));
	CHECK(is_number("9223372036854775807", 10, INT64_MAX));
	CHECK(is_number("-9223372036854775808", 10, INT64_MIN));
	CHECK(is_no_number("9223372036854775808", 10));
	CHECK(is_no_number("-9223372036854775809", 10));
	CHECK(is_no_number("18446744073709551616", 10));
	CHECK(is_no_number("", 10));
	CHECK(is_no_number("-", 10));
	CHECK(is_no_number("+-1", 10));
	CHECK(is_no_number("1_0", 10));
	CHECK(is_no_number("1a", 10));
	CHECK(is_no_number(" 1", 10));
}

TEST(the_prefix_of_a_number_says_its_base)
{
	CHECK(is_number("10", 0, 10));
	CHECK(is_number("010", 0, 8));
	CHECK(is_number("0o10", 0, 8));
	CHECK(is_number("0X1f", 0, 31));
	CHECK(is_number("-0b101", 0, -5));
	CHECK(is_number("0", 0, 0));
	CHECK(is_no_number("08", 0));
	CHECK(is_no_number("0x", 0));
	CHECK(is_no_number("0b2", 0));
	CHECK(is_no_number("0b", 0));
}

TEST(underscores_stand_between_digits)
{
	CHECK(is_number("1_000", 0, 1000));
	CHECK(is_number("0x_f", 0, 15));
	CHECK(is_number("0_7", 0, 7));
	CHECK(is_no_number("_1", 0));
	CHECK(is_no_number("1_", 0));
	CHECK(is_no_number("1__0", 0));
	CHECK(is_no_number("0_", 0));
	CHECK(is_no_number("0x_", 0));
	CHECK(is_no_number("_", 0));
}

TEST(unsigned_numbers_have_64_bits)
{
	uint64_t value;

	CHECK(text_unsigned(span_text("ffffffffffffffff"), 16, &value));
	CHECK_EQ(value, UINT64_MAX);
	CHECK(text_unsigned(span_text("00000000000000000000001"), 16, &value));
	CHECK_EQ(value, 1);
	CHECK(!text_unsigned(span_text("10000000000000000"), 16, &value));
	CHECK(!text_unsigned(span_text("-1"), 10, &value));
	CHECK(!text_unsigned(span_text("g"), 16, &value));
}

TEST(a_text_of_no_bytes_contains_nothing)
{
	CHECK(!text_contains((struct span){ 0 }, "x"));
	CHECK(text_contains(span_text("axb"), "x"));
}

/* SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "profile/number.h"
#include "profile/unit.h"
#include "test.h"

TEST(values_get_the_unit_that_fits)
{
	struct arena a = { 0 };

	CHECK_STR(number_label(&a, 1500000000, "nanoseconds", "auto"), "1.50s");
	CHECK_STR(number_label(&a, 10000000, "ns", "minimum"), "10ms");
	CHECK_STR(number_label(&a, 1024, "bytes", "auto"), "1kB");
	CHECK_STR(number_label(&a, 1024000, "B", "kb"), "1000kB");
	CHECK_STR(number_label(&a, -1536, "byte", "auto"), "-1.50kB");
	CHECK_STR(number_label(&a, 7200, "seconds", "auto"), "2hrs");
	arena_release(&a);
}

TEST(nothing_is_zero_without_a_unit)
{
	struct arena a = { 0 };

	CHECK_STR(number_label(&a, 0, "bytes", "auto"), "0");
	CHECK_STR(number_label(&a, 1, "ns", "s"), "0");
	arena_release(&a);
}

TEST(unknown_units_are_left_alone)
{
	struct arena a = { 0 };

	CHECK_STR(number_label(&a, 42, "count", "auto"), "42");
	CHECK_STR(number_label(&a, 42, "widgets", "widgets"), "42widgets");
	CHECK_STR(number_label(&a, 42, "bytes", "widgets"), "42B");
	arena_release(&a);
}

TEST(the_smallest_number_does_not_overflow)
{
	struct measure m = unit_scale(INT64_MIN, "count", "auto");

	CHECK(m.value == -0x1p63);
	CHECK_EQ(integer_part(1e300), INT64_MIN);
	CHECK_EQ(integer_part(-1.9), -1);
}

TEST(many_values_convert_as_one_does)
{
	static const char *const units[] = { "nanoseconds", "ms", "hrs",
					     "bytes",	    "MB", "widgets" };
	struct conversion c;

	for (unsigned i = 0; i < 36; i++) {
		const char *from = units[i / 6], *to = units[i % 6];

		CHECK(unit_conversion(&c, from, to));
		for (int64_t v = -1234567890123; v; v /= -7)
			CHECK((double)v * c.multiply / c.divide ==
			      unit_scale(v, from, to).value);
	}
	CHECK(!unit_conversion(&c, "ns", "auto"));
}

TEST(percentages_have_two_digits_of_precision)
{
	CHECK_STR(percent_of(1, 1).text, "  100%");
	CHECK_STR(percent_of(1, 3).text, "33.33%");
	CHECK_STR(percent_of(-1, 3).text, "33.33%");
	CHECK_STR(percent_of(INT64_MIN, 1).text, "922337203685477580800.00%");
	CHECK_STR(percent_of(5, 1000).text, "  0.5%");
	CHECK_STR(percent_of(51, 100000).text, "0.051%");
	CHECK_STR(percent_of(0, 5).text, "    0%");
	CHECK_STR(percent_of(5, 0).text, "    0%");
}

TEST(broken_utf8_counts_a_character_a_byte)
{
	CHECK_EQ(rune_count(span_text("añb")), 3);
	CHECK_EQ(rune_count(span_text("\xe2\x82\xac")), 1);
	CHECK_EQ(rune_count(span_text("\xe2\x82")), 2);
	CHECK_EQ(rune_count(span_text("\xc0\x80")), 2);
	CHECK_EQ(rune_count(span_text("\xed\xa0\x80")), 3);
	CHECK_EQ(rune_count(span_text("\xf4\x90\x80\x80")), 4);
}

/* SPDX-License-Identifier: MIT */
/* Go's spelling of values. */
#include "pprof/gosyntax.h"

#include <errno.h>

#include "base/check.h"
#include "test.h"

TEST(booleans_are_spelled_in_twelve_ways_and_no_other)
{
	static const char *const yes[] = {
		"1", "t", "T", "true", "TRUE", "True"
	};
	static const char *const no[] = { "0",	   "f",	    "F",
					  "false", "FALSE", "False" };
	static const char *const neither[] = { "",   "yes", "tRUE",
					       "no", "2",   " 1" };
	bool b;

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		CHECK_EQ(go_parse_bool(yes[i], &b), 0);
		CHECK(b);
		CHECK_EQ(go_parse_bool(no[i], &b), 0);
		CHECK(!b);
		CHECK_EQ(go_parse_bool(neither[i], &b), -EINVAL);
	}
}

static void check_int(const char *text, int r, int64_t value)
{
	int64_t n = -77;

	CHECK_EQ(go_parse_int(text, true, 64, &n), r);
	CHECK_EQ(n, r ? -77 : value);
}

TEST(whole_numbers_may_have_a_base_and_underscores)
{
	check_int("0", 0, 0);
	check_int("-12", 0, -12);
	check_int("+5", 0, 5);
	check_int("0x1f", 0, 31);
	check_int("0X1F", 0, 31);
	check_int("0o17", 0, 15);
	check_int("017", 0, 15);
	check_int("0b101", 0, 5);
	check_int("1_000", 0, 1000);
	check_int("0x_1", 0, 1);
	check_int("9223372036854775807", 0, INT64_MAX);
	check_int("-9223372036854775808", 0, INT64_MIN);
}

TEST(what_is_no_whole_number_is_refused)
{
	check_int("", -EINVAL, 0);
	check_int("-", -EINVAL, 0);
	check_int("08", -EINVAL, 0);
	check_int("0x", -EINVAL, 0);
	check_int("_1", -EINVAL, 0);
	check_int("1_", -EINVAL, 0);
	check_int("1__0", -EINVAL, 0);
	check_int("1.5", -EINVAL, 0);
	check_int("9223372036854775808", -ERANGE, 0);
	check_int("99999999999999999999999", -ERANGE, 0);
}

TEST(the_shell_takes_decimal_numbers_only)
{
	int64_t n;

	CHECK_EQ(go_parse_int("0x10", false, 32, &n), -EINVAL);
	CHECK_EQ(go_parse_int("1_0", false, 32, &n), -EINVAL);
	CHECK_EQ(go_parse_int("2147483648", false, 32, &n), -ERANGE);
	CHECK_EQ(go_parse_int("010", false, 32, &n), 0);
	CHECK_EQ(n, 10);
}

TEST(real_numbers_are_read_whole_or_not_at_all)
{
	double d = 7;

	CHECK_EQ(go_parse_float("x", &d), -EINVAL);
	CHECK_EQ(go_parse_float("", &d), -EINVAL);
	CHECK_EQ(go_parse_float(" 1", &d), -EINVAL);
	CHECK_EQ(go_parse_float("1 ", &d), -EINVAL);
	CHECK_EQ(go_parse_float("nan(1)", &d), -EINVAL);
	CHECK_EQ(go_parse_float("0x10", &d), -EINVAL);
	CHECK_EQ(go_parse_float("+nan", &d), -EINVAL);
	CHECK_EQ(go_parse_float("1_.5", &d), -EINVAL);
	CHECK_EQ(go_parse_float("_1", &d), -EINVAL);
	CHECK_EQ(go_parse_float("1e999", &d), -ERANGE);
	CHECK(d == 7);
	CHECK_EQ(go_parse_float("0.005", &d), 0);
	CHECK(d == 0.005);
	CHECK_EQ(go_parse_float("1_0.5", &d), 0);
	CHECK(d == 10.5);
	CHECK_EQ(go_parse_float("0x1_0p-4", &d), 0);
	CHECK(d == 1);
}

static void check_float(double value, const char *expected)
{
	char text[40];

	go_float_text(value, text, sizeof(text));
	CHECK_STR(text, expected);
}

TEST(real_numbers_are_printed_with_as_few_digits_as_tell_them_apart)
{
	check_float(0, "0");
	check_float(1, "1");
	check_float(0.005, "0.005");
	check_float(0.0001, "0.0001");
	check_float(0.00001, "1e-05");
	check_float(-2.5, "-2.5");
	check_float(123456.75, "123456.75");
	check_float(100000, "100000");
	check_float(1000000, "1e+06");
	check_float(12345678901234567890.0, "1.2345678901234567e+19");
	check_float(1e300, "1e+300");
	check_float(0.1 + 0.2, "0.30000000000000004");
}

TEST(quoting_shows_what_can_not_be_printed)
{
	char text[40];

	go_quote("a\"b\\c\n\xff\xc3\xa9 \x7f", text, sizeof(text));
	CHECK_STR(text, "\"a\\\"b\\\\c\\n\\xff\xc3\xa9 \\x7f\"");
}

TEST(quoting_cuts_what_does_not_fit)
{
	char text[10];

	go_quote("abcdefghijkl", text, sizeof(text));
	CHECK_STR(text, "\"abc\"");
}

TEST(seconds_become_minutes_and_hours)
{
	char text[32];

	go_seconds_text(30, text, sizeof(text));
	CHECK_STR(text, "30s");
	go_seconds_text(90, text, sizeof(text));
	CHECK_STR(text, "1m30s");
	go_seconds_text(3600, text, sizeof(text));
	CHECK_STR(text, "1h0m0s");
}

/* SPDX-License-Identifier: MIT */
/* Contention profiles. */
#include "legacy.h"

#include <errno.h>

TEST(cycles_become_nanoseconds_and_counts_are_scaled)
{
	CHECK_STR(legacy_raw("--- contentionz 1 ---\n"
			     "cycles/second = 2000000000\n"
			     "sampling period = 100\n"
			     "ms since reset = 2500\n"
			     "discarded samples = 7\n"
			     "   30 2 @ 0x101 0x201\n"
			     "   5  1 @ 0x301\n"
			     "--- Memory map: ---\n"
			     "100-400 /bin/x\n"),
		  "PeriodType: contentions count\n"
		  "Period: 100\n"
		  "Duration: 2.5s\n"
		  "Samples:\n"
		  "contentions/count delay/nanoseconds\n"
		  "        200       1500: 1 2 \n"
		  "        100        250: 3 \n"
		  "Locations\n"
		  "     1: 0x100 M=1 \n"
		  "     2: 0x200 M=1 \n"
		  "     3: 0x300 M=1 \n"
		  "Mappings\n"
		  "1: 0x100/0x400/0x0 /bin/x  \n");
}

TEST(go_calls_it_mutex)
{
	CHECK_STR(legacy_part("--- mutex:\n"
			      "cycles/second=1000000000\n"
			      "sampling period=1\n"
			      "30 2 @ 0x101\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n"
		  "          2         30: 1 \n");
}

TEST(go_calls_it_contention_too)
{
	CHECK_STR(legacy_part("--- contention:\n"
			      "cycles/second=1000000000\n"
			      "30 2 @ 0x101\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n"
		  "          2         30: 1 \n");
}

TEST(without_a_clock_delays_stay_as_they_are)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "sampling period = 10\n"
			      "30 2 @ 0x101\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n"
		  "         20         30: 1 \n");
}

TEST(without_a_period_nothing_is_scaled)
{
	CHECK_STR(legacy_raw("--- contentionz 1 ---\n"
			     "cycles/second = 2000000000\n"
			     "sampling period = 0\n"
			     "30 2 @ 0x101\n"),
		  "PeriodType: contentions count\n"
		  "Period: 0\n"
		  "Samples:\n"
		  "contentions/count delay/nanoseconds\n"
		  "          2         30: 1 \n"
		  "Locations\n"
		  "     1: 0x100 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(attributes_may_be_written_as_in_go)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "sampling period = 0x1_0\n"
			      "30 2 @ 0x101\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n"
		  "         32         30: 1 \n");
}

TEST(of_a_single_number_the_last_digit_is_the_count)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "305 @ 0x101\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n"
		  "          5         30: 1 \n");
}

TEST(text_before_the_numbers_does_not_matter)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "at 1 of 30 2 @ 0x101\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n"
		  "          2         30: 1 \n");
}

TEST(dashes_end_the_samples)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "30 2 @ 0x101\n"
			      "--- other\n"
			      "40 2 @ 0x201\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n"
		  "          2         30: 1 \n");
}

TEST(dashes_among_attributes_leave_no_samples)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "sampling period = 10\n"
			      "---\n"
			      "30 2 @ 0x101\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n");
}

TEST(a_delay_that_does_not_fit_becomes_the_smallest_number)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "cycles/second = 1\n"
			      "sampling period = 4\n"
			      "9000000000000000000 1 @ 0x101\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n"
		  "          4 -9223372036854775808: 1 \n");
}

TEST(products_wrap_around)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "sampling period = 9223372036854775807\n"
			      "1 3 @ 0x101\n",
			      "Samples:"),
		  "contentions/count delay/nanoseconds\n"
		  " 9223372036854775805          1: 1 \n");
}

TEST(a_file_may_have_only_a_header)
{
	CHECK_STR(legacy_raw("--- contentionz 1 ---\n"),
		  "PeriodType: contentions count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "contentions/count delay/nanoseconds\n"
		  "Locations\n"
		  "Mappings\n");
}

TEST(an_unknown_attribute_is_not_recognised)
{
	CHECK_EQ(legacy_read("--- mutex:\n"
			     "color = red\n"
			     "30 2 @ 0x101\n"),
		 -ENOTSUP);
}

TEST(a_period_that_is_no_number_is_not_recognised)
{
	CHECK_EQ(legacy_read("--- mutex:\n"
			     "sampling period = ten\n"
			     "30 2 @ 0x101\n"),
		 -ENOTSUP);
}

TEST(a_line_that_is_no_sample_is_not_recognised)
{
	CHECK_EQ(legacy_read("--- mutex:\n"
			     "30 2 @ 0x101\n"
			     "that is all\n"),
		 -ENOTSUP);
}

TEST(a_delay_of_more_than_63_bits_is_an_error)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "9223372036854775808 1 @ 0x101\n"),
		 -EBADMSG);
}

TEST(a_count_of_more_than_63_bits_is_an_error)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "1 9223372036854775808 @ 0x101\n"),
		 -EBADMSG);
}

TEST(an_address_of_more_than_64_bits_is_an_error)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "1 1 @ 0x10000000000000000\n"),
		 -EBADMSG);
}

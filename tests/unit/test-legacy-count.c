/* SPDX-License-Identifier: MIT */
/* Go's counts of stacks. */
#include "legacy.h"

#include <errno.h>

TEST(a_count_profile_is_named_by_its_header)
{
	CHECK_STR(legacy_raw("goroutine profile: total 3\n"
			     "2 @ 0x101 0x201\n"
			     "#\t0x100\tmain.f+0x10\t/src/main.go:3\n"
			     "\n"
			     "1 @ 0x301 0x201\n"),
		  "PeriodType: goroutine count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "goroutine/count\n"
		  "          2: 1 2 \n"
		  "          1: 3 2 \n"
		  "Locations\n"
		  "     1: 0x100 M=1 \n"
		  "     2: 0x200 M=1 \n"
		  "     3: 0x300 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(comments_may_come_before_the_header)
{
	CHECK_STR(legacy_part("# made by a server\n"
			      "\n"
			      " \xc2\xa0# too\n"
			      "threadcreate profile: total 1\n"
			      "1 @ 0x101\n",
			      "Samples:"),
		  "threadcreate/count\n"
		  "          1: 1 \n");
}

TEST(counts_may_be_octal_as_in_go)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "010 @ 0x101\n",
			      "Samples:"),
		  "x/count\n"
		  "          8: 1 \n");
}

TEST(dashes_end_the_counts)
{
	CHECK_STR(legacy_raw("x profile: total 1\n"
			     "1 @ 0x101\n"
			     "--- anything\n"
			     "not read\n"
			     "--- Memory map: ---\n"
			     "100-200 /bin/x\n"),
		  "PeriodType: x count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "x/count\n"
		  "          1: 1 \n"
		  "Locations\n"
		  "     1: 0x100 M=1 \n"
		  "Mappings\n"
		  "1: 0x100/0x200/0x0 /bin/x  \n");
}

TEST(a_header_with_more_behind_it_is_another_format)
{
	CHECK_EQ(legacy_read("x profile: total 1 \n"
			     "1 @ 0x101\n"),
		 -ENOTSUP);
}

TEST(a_name_is_one_word)
{
	CHECK_EQ(legacy_read("x y profile: total 1\n"
			     "1 @ 0x101\n"),
		 -ENOTSUP);
}

TEST(a_profile_may_have_no_samples)
{
	CHECK_STR(legacy_raw("x profile: total 0\n"), "PeriodType: x count\n"
						      "Period: 1\n"
						      "Samples:\n"
						      "x/count\n"
						      "Locations\n"
						      "Mappings\n");
}

TEST(a_count_without_addresses_is_an_error)
{
	CHECK_EQ(legacy_read("x profile: total 1\n"
			     "1 @\n"),
		 -EBADMSG);
}

TEST(two_blanks_between_addresses_are_an_error)
{
	CHECK_EQ(legacy_read("x profile: total 1\n"
			     "1 @ 0x1  0x2\n"),
		 -EBADMSG);
}

TEST(a_count_that_is_no_octal_number_is_an_error)
{
	CHECK_EQ(legacy_read("x profile: total 1\n"
			     "08 @ 0x1\n"),
		 -EBADMSG);
}

TEST(a_count_of_more_than_63_bits_is_an_error)
{
	CHECK_EQ(legacy_read("x profile: total 1\n"
			     "9223372036854775808 @ 0x1\n"),
		 -EBADMSG);
}

TEST(an_address_of_more_than_64_bits_is_an_error)
{
	CHECK_EQ(legacy_read("x profile: total 1\n"
			     "1 @ 0x10000000000000000\n"),
		 -EBADMSG);
}

TEST(a_line_of_another_kind_is_an_error)
{
	CHECK_EQ(legacy_read("x profile: total 1\n"
			     "1 @ 0x1\n"
			     "more\n"),
		 -EBADMSG);
}

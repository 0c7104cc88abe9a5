/* SPDX-License-Identifier: MIT */
/* Stacks of all threads. */
#include "legacy.h"

#include <errno.h>

TEST(each_thread_is_a_sample)
{
	CHECK_STR(legacy_raw("--- threadz 1 ---\n"
			     "\n"
			     "--- Thread 7f00 (name: main/12) stack: ---\n"
			     "  PC:    0x101 0x201 0x301\n"
			     "         0x401\n"
			     "--- Thread abc (name: worker/13) stack: ---\n"
			     "  PC: 0x501 f()\n"
			     "      0x401\n"
			     "  creator: 0x601\n"
			     "--- Memory map: ---\n"
			     "  100-700: /bin/server\n"),
		  "PeriodType: thread count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "thread/count\n"
		  "          1: 1 2 3 4 \n"
		  "          1: 5 4 6 \n"
		  "Locations\n"
		  "     1: 0x101 M=1 \n"
		  "     2: 0x200 M=1 \n"
		  "     3: 0x300 M=1 \n"
		  "     4: 0x400 M=1 \n"
		  "     5: 0x501 M=1 \n"
		  "     6: 0x600 M=1 \n"
		  "Mappings\n"
		  "1: 0x100/0x700/0x0 /bin/server  \n");
}

TEST(the_first_thread_may_be_the_header)
{
	CHECK_STR(legacy_part("--- Thread 7f00 (name: main/12) stack: ---\n"
			      "0x101\n"
			      "---- no stack trace for 3 threads\n",
			      "Samples:"),
		  "thread/count\n"
		  "          1: 1 \n");
}

TEST(a_thread_like_the_previous_is_counted_with_it)
{
	CHECK_STR(legacy_part("--- threadz 1 ---\n"
			      "\n"
			      "--- Thread 7f00 (name: main/12) stack: ---\n"
			      "0x101 0x201\n"
			      "--- Thread 7f00 (name: main/12) stack: ---\n"
			      "  [same as previous thread]\n"
			      "--- Thread 7f00 (name: main/12) stack: ---\n"
			      "\n"
			      "--- Thread 7f00 (name: main/12) stack: ---\n"
			      "0x301\n"
			      "---- no stack trace for 1 threads\n",
			      "Samples:"),
		  "thread/count\n"
		  "          3: 1 2 \n"
		  "          1: 3 \n");
}

TEST(addresses_beside_that_remark_do_not_count)
{
	CHECK_STR(legacy_raw("--- threadz 1 ---\n"
			     "\n"
			     "--- Thread 7f00 (name: main/12) stack: ---\n"
			     "0x101\n"
			     "--- Thread 7f00 (name: main/12) stack: ---\n"
			     "0x201\n"
			     " (same as previous thread)\n"
			     "--- Memory map: ---\n"),
		  "PeriodType: thread count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "thread/count\n"
		  "          2: 1 \n"
		  "Locations\n"
		  "     1: 0x101 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(nothing_is_like_a_thread_that_is_not_there)
{
	CHECK_STR(legacy_part("--- threadz 1 ---\n"
			      "\n"
			      "--- Thread 7f00 (name: main/12) stack: ---\n"
			      " same as previous thread\n"
			      "--- Memory map: ---\n",
			      "Samples:"),
		  "thread/count\n");
}

TEST(a_doubled_leaf_is_removed_but_its_place_stays)
{
	CHECK_STR(legacy_raw("--- threadz 1 ---\n"
			     "\n"
			     "--- Thread 7f00 (name: main/12) stack: ---\n"
			     "0x101 0x101 0x201\n"
			     "--- Memory map: ---\n"),
		  "PeriodType: thread count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "thread/count\n"
		  "          1: 1 3 \n"
		  "Locations\n"
		  "     1: 0x101 M=1 \n"
		  "     2: 0x100 M=1 \n"
		  "     3: 0x200 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(a_name_may_look_like_a_path)
{
	CHECK_STR(legacy_part("--- threadz 1 ---\n"
			      "\n"
			      "--- Thread 7f00 (name: a/b/12) stack: ---\n"
			      "0x101\n"
			      "--- Memory map: ---\n",
			      "Samples:"),
		  "thread/count\n"
		  "          1: 1 \n");
}

TEST(text_before_the_first_thread_is_skipped)
{
	CHECK_STR(legacy_part("--- threadz 1 ---\n"
			      "\n"
			      "0x999\n"
			      "some text\n"
			      "--- Thread 7f00 (name: main/12) stack: ---\n"
			      "0x101\n"
			      "--- Memory map: ---\n",
			      "Locations"),
		  "     1: 0x101 M=1 \n");
}

TEST(a_file_may_have_no_threads)
{
	CHECK_STR(legacy_raw("--- threadz 1 ---\n"
			     "\n"
			     "--- Memory map: ---\n"
			     "100-200 /bin/x\n"),
		  "PeriodType: thread count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "thread/count\n"
		  "Locations\n"
		  "Mappings\n"
		  "1: 0x100/0x200/0x0 /bin/x  \n");
}

TEST(a_file_without_an_end_is_not_recognised)
{
	CHECK_EQ(legacy_read("--- threadz 1 ---\n"
			     "\n"
			     "--- Thread 7f00 (name: main/12) stack: ---\n"
			     "0x101\n"),
		 -ENOTSUP);
}

TEST(other_dashes_are_not_recognised)
{
	CHECK_EQ(legacy_read("--- threadz 1 ---\n"
			     "\n"
			     "--- Thread 7f00 (name: main/12) stack: ---\n"
			     "0x101\n"
			     "--- Stop ---\n"),
		 -ENOTSUP);
}

TEST(a_thread_without_a_number_is_not_recognised)
{
	CHECK_EQ(legacy_read("--- threadz 1 ---\n"
			     "\n"
			     "--- Thread 7f00 (name: main) stack: ---\n"
			     "0x101\n"
			     "--- Memory map: ---\n"),
		 -ENOTSUP);
}

TEST(a_header_without_a_number_is_not_recognised)
{
	CHECK_EQ(legacy_read("--- threadz ---\n"
			     "--- Thread 7f00 (name: main/x) stack: ---\n"
			     "0x101\n"
			     "--- Memory map: ---\n"),
		 -ENOTSUP);
}

TEST(an_address_of_more_than_64_bits_is_an_error)
{
	CHECK_EQ(legacy_read("--- threadz 1 ---\n"
			     "\n"
			     "--- Thread 7f00 (name: main/12) stack: ---\n"
			     "0x10000000000000000\n"
			     "--- Memory map: ---\n"),
		 -EBADMSG);
}

/* SPDX-License-Identifier: MIT */
/* The Java agent's profiles. */
#include "legacy.h"

#include <errno.h>

TEST(a_java_heap_profile_is_scaled_and_symbolized)
{
	CHECK_STR(legacy_raw("--- heapz 1 ---\n"
			     "format = java\n"
			     "resolution = bytes\n"
			     "  4096 4 @ 0x10 0x20\n"
			     "  1048576 1 @ 0x30 0x20\n"
			     "  0x10 com.example.Cache.put (Cache.java:42)\n"
			     "  0x20 com.example.Main.main (Main.java:7)\n"
			     "  0x30 malloc (/lib/x86_64/libc.so.6)\n"),
		  "PeriodType:  \n"
		  "Period: 0\n"
		  "Samples:\n"
		  "inuse_objects/count inuse_space/bytes\n"
		  "       2050    2099200: 1 2 \n"
		  "                bytes:[1024]\n"
		  "          1    1212696: 3 2 \n"
		  "                bytes:[1048576]\n"
		  "Locations\n"
		  "     1: 0x0 com.example.Cache.put Cache.java:42:0 s=0\n"
		  "     2: 0x0 com.example.Main.main Main.java:7:0 s=0\n"
		  "     3: 0x0 malloc libc.so.6:0:0 s=0\n"
		  "Mappings\n");
}

TEST(a_java_contention_profile_is_scaled_by_its_period)
{
	CHECK_STR(legacy_raw("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "sampling period = 10\n"
			     "ms since reset = 1500\n"
			     "  30 2 @ 0x10\n"
			     "  0x10 a.B.c (B.java:1)\n"),
		  "PeriodType: contentions count\n"
		  "Period: 10\n"
		  "Duration: 1.5s\n"
		  "Samples:\n"
		  "contentions/count delay/microseconds\n"
		  "         20        300: 1 \n"
		  "Locations\n"
		  "     1: 0x0 a.B.c B.java:1:0 s=0\n"
		  "Mappings\n");
}

TEST(without_a_period_contentions_stay_as_they_are)
{
	CHECK_STR(legacy_raw("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "30 2 @ 0x10\n"),
		  "PeriodType:  \n"
		  "Period: 0\n"
		  "Samples:\n"
		  "contentions/count delay/microseconds\n"
		  "          2         30: 1 \n"
		  "Locations\n"
		  "     1: 0x0 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(a_place_without_a_symbol_has_a_mapping)
{
	CHECK_STR(legacy_raw("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "30 2 @ 0x10 0x20\n"
			     "0x10 f (F.java:1)\n"),
		  "PeriodType:  \n"
		  "Period: 0\n"
		  "Samples:\n"
		  "contentions/count delay/microseconds\n"
		  "          2         30: 1 2 \n"
		  "Locations\n"
		  "     1: 0x0 f F.java:1:0 s=0\n"
		  "     2: 0x0 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(functions_are_shared_by_name_and_keep_their_first_file)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10 0x20\n"
			      "0x20 f (A.java:1)\n"
			      "0x10 f (B.java:2)\n",
			      "Locations"),
		  "     1: 0x0 f A.java:2:0 s=0\n"
		  "     2: 0x0 f A.java:1:0 s=0\n");
}

TEST(the_last_symbol_of_an_address_counts)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "0x10 f (A.java:1)\n"
			      "0x10 g (B.java:2)\n",
			      "Locations"),
		  "     1: 0x0 g B.java:2:0 s=0\n");
}

TEST(a_line_below_one_is_unknown)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f (F.java:-1)\n",
			      "Locations"),
		  "     1: 0x0 f F.java:0:0 s=0\n");
}

TEST(a_line_that_does_not_fit_is_unknown)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f (F.java:9223372036854775808)\n",
			      "Locations"),
		  "     1: 0x0 f F.java:0:0 s=0\n");
}

TEST(a_second_blank_belongs_to_the_name)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f  (F.java:1)\n",
			      "Locations"),
		  "     1: 0x0 f  F.java:1:0 s=0\n");
}

TEST(the_last_parenthesis_is_the_file)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f (int) (F.java:1)\n",
			      "Locations"),
		  "     1: 0x0 f (int) F.java:1:0 s=0\n");
}

TEST(a_file_has_a_name)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f (:1)\n",
			      "Locations"),
		  "     1: 0x0 f :1:0:0 s=0\n");
}

TEST(a_file_may_contain_colons)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f (a:b:3)\n",
			      "Locations"),
		  "     1: 0x0 f a:b:3:0 s=0\n");
}

TEST(of_a_library_only_the_name_is_kept)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f (/usr/lib/libjvm.so)\n",
			      "Locations"),
		  "     1: 0x0 f libjvm.so:0:0 s=0\n");
}

TEST(the_name_of_a_folder_is_its_last_part)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f (/usr/lib//)\n",
			      "Locations"),
		  "     1: 0x0 f lib:0:0 s=0\n");
}

TEST(the_name_of_the_root_is_a_slash)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f (//)\n",
			      "Locations"),
		  "     1: 0x0 f /:0:0 s=0\n");
}

TEST(the_name_of_nothing_is_a_dot)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 f ()\n",
			      "Locations"),
		  "     1: 0x0 f .:0:0 s=0\n");
}

TEST(generated_code_is_a_stub)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 some generated stub/JIT code\n",
			      "Locations"),
		  "     1: 0x0 STUB :0:0 s=0\n");
}

TEST(other_text_is_a_name)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "  0x10 GC (parallel) work\n",
			      "Locations"),
		  "     1: 0x0 GC (parallel) work :0:0 s=0\n");
}

TEST(lines_that_are_no_symbols_are_skipped)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "hello\n"
			      "0x10\n"
			      "0xzz f\n"
			      "0x20 unused\n"
			      "\xc2\xa0 0x10 f\n",
			      "Locations"),
		  "     1: 0x0 f :0:0 s=0\n");
}

TEST(the_last_symbol_needs_no_newline)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "1 1 @ 0x10\n"
			      "0x10 f",
			      "Locations"),
		  "     1: 0x0 f :0:0 s=0\n");
}

TEST(the_last_sample_does)
{
	CHECK_STR(legacy_raw("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "1 1 @ 0x10\n"
			     "1 1 @ 0x20"),
		  "PeriodType:  \n"
		  "Period: 0\n"
		  "Samples:\n"
		  "contentions/count delay/microseconds\n"
		  "          1          1: 1 \n"
		  "Locations\n"
		  "     1: 0x0 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(numbers_may_be_octal_as_in_go)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "format = java\n"
			      "resolution = microseconds\n"
			      "010 010 @ 0x10\n",
			      "Samples:"),
		  "contentions/count delay/microseconds\n"
		  "          8          8: 1 \n");
}

TEST(attributes_may_stand_in_other_text)
{
	CHECK_STR(legacy_part("--- contentionz 1 ---\n"
			      "[format = java]\n"
			      "-> resolution = s <-\n"
			      "1 1 @ 0x10\n",
			      "Samples:"),
		  "contentions/count delay/s\n"
		  "          1          1: 1 \n");
}

TEST(a_profile_may_have_no_samples)
{
	CHECK_STR(legacy_raw("--- heapz 1 ---\n"
			     "format = java\n"
			     "resolution = bytes\n"),
		  "PeriodType:  \n"
		  "Period: 0\n"
		  "Samples:\n"
		  "inuse_objects/count inuse_space/bytes\n"
		  "Locations\n"
		  "Mappings\n");
}

TEST(a_profile_without_a_header_line_is_not_recognised)
{
	CHECK_EQ(legacy_read("--- heapz 1 ---"), -ENOTSUP);
}

TEST(another_format_than_java_is_not_recognised)
{
	CHECK_EQ(legacy_read("--- heapz 1 ---\n"
			     "format = c\n"
			     "resolution = bytes\n"),
		 -ENOTSUP);
}

TEST(an_unknown_attribute_is_not_recognised)
{
	CHECK_EQ(legacy_read("--- heapz 1 ---\n"
			     "format = java\n"
			     "resolution = bytes\n"
			     "sampling period = 1\n"),
		 -ENOTSUP);
}

TEST(samples_without_a_resolution_are_an_error)
{
	CHECK_EQ(legacy_read("--- heapz 1 ---\n"
			     "format = java\n"
			     "1 1 @ 0x10\n"),
		 -EBADMSG);
}

TEST(a_heap_sample_of_no_objects_is_an_error)
{
	CHECK_EQ(legacy_read("--- heapz 1 ---\n"
			     "format = java\n"
			     "resolution = bytes\n"
			     "64 0 @ 0x10\n"),
		 -EBADMSG);
}

TEST(a_period_that_is_no_number_is_an_error)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "sampling period = 1 2\n"),
		 -EBADMSG);
}

TEST(a_duration_that_is_no_number_is_an_error)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "ms since reset = 1__0\n"),
		 -EBADMSG);
}

TEST(a_count_that_is_no_octal_number_is_an_error)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "1 09 @ 0x10\n"),
		 -EBADMSG);
}

TEST(a_value_of_more_than_63_bits_is_an_error)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "9223372036854775808 1 @ 0x10\n"),
		 -EBADMSG);
}

TEST(an_address_of_more_than_64_bits_is_an_error)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "1 1 @ 0x10000000000000000\n"),
		 -EBADMSG);
}

TEST(a_symbol_of_more_than_64_bits_is_an_error)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "format = java\n"
			     "resolution = microseconds\n"
			     "1 1 @ 0x10\n"
			     "0x10000000000000000 f\n"),
		 -EBADMSG);
}

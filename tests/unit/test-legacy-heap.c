/* SPDX-License-Identifier: MIT */
/* Heap profiles as text. */
#include "legacy.h"

#include <errno.h>

TEST(a_heap_profile_tells_objects_and_their_bytes)
{
	CHECK_STR(
		legacy_raw(
			"heap profile:      3:       64 [     3:       64] @ heapprofile\n"
			"     2:       32 [     2:       32] @ 0x1001 0x2001\n"
			"     1:       32 [     1:       32] @ 0x3001 0x2001\n"
			"\n"
			"MAPPED_LIBRARIES:\n"
			"00001000-00003000 r-xp 00000000 fc:00 11 /bin/server\n"),
		"PeriodType: space bytes\n"
		"Period: 1\n"
		"Samples:\n"
		"objects/count space/bytes\n"
		"          2         32: 1 2 \n"
		"                bytes:[16]\n"
		"          1         32: 3 2 \n"
		"                bytes:[32]\n"
		"Locations\n"
		"     1: 0x1000 M=1 \n"
		"     2: 0x2000 M=1 \n"
		"     3: 0x3000 M=2 \n"
		"Mappings\n"
		"1: 0x1000/0x3000/0x0 /bin/server  \n"
		"2: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(what_was_ever_allocated_comes_before_what_is_in_use)
{
	CHECK_STR(
		legacy_raw("heap profile: 1: 16 [4: 80] @ heapprofile\n"
			   "1: 16 [4: 80] @ 0x11\n"),
		"PeriodType: space bytes\n"
		"Period: 1\n"
		"Samples:\n"
		"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes\n"
		"          4         80          1         16: 1 \n"
		"                bytes:[16]\n"
		"Locations\n"
		"     1: 0x10 M=1 \n"
		"Mappings\n"
		"1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(totals_of_zero_say_nothing_of_what_was_allocated)
{
	CHECK_STR(legacy_part("heap profile: 1: 16 [0: 0] @ heapprofile\n"
			      "1: 16 [0: 0] @ 0x11\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "          1         16: 1 \n"
		  "                bytes:[16]\n");
}

TEST(totals_are_compared_as_text)
{
	CHECK_STR(
		legacy_part("heap profile: 1: 16 [01: 16] @ heapprofile\n"
			    "1: 16 [2: 48] @ 0x11\n",
			    "Samples:"),
		"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes\n"
		"          2         48          1         16: 1 \n"
		"                bytes:[16]\n");
}

TEST(sampled_counts_are_scaled_back)
{
	CHECK_STR(legacy_part("heap profile: 5: 5 [5: 5] @ heap_v2/524288\n"
			      "1: 64 [1: 64] @ 0x11\n"
			      "2: 1048576 [2: 1048576] @ 0x21\n"
			      "3: 9000000 [3: 9000000] @ 0x31\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "       8192     524320: 1 \n"
		  "                bytes:[64]\n"
		  "          3    1658822: 2 \n"
		  "                bytes:[524288]\n"
		  "          3    9029553: 3 \n"
		  "                bytes:[3000000]\n");
}

TEST(heapz_v2_is_the_same_format)
{
	CHECK_STR(legacy_raw("heap profile: 1: 1 [1: 1] @ heapz_v2/1024\n"
			     "1: 512 [1: 512] @ 0x11\n"),
		  "PeriodType: space bytes\n"
		  "Period: 1024\n"
		  "Samples:\n"
		  "objects/count space/bytes\n"
		  "          2       1301: 1 \n"
		  "                bytes:[512]\n"
		  "Locations\n"
		  "     1: 0x10 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(go_gives_twice_its_sampling_rate)
{
	CHECK_STR(legacy_raw("heap profile: 1: 1 [1: 1] @ heap/1048576\n"
			     "1: 64 [1: 64] @ 0x11\n"),
		  "PeriodType: space bytes\n"
		  "Period: 524288\n"
		  "Samples:\n"
		  "objects/count space/bytes\n"
		  "       8192     524320: 1 \n"
		  "                bytes:[64]\n"
		  "Locations\n"
		  "     1: 0x10 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(a_rate_of_one_scales_nothing)
{
	CHECK_STR(legacy_part("heap profile: 1: 1 [1: 1] @ heap_v2/1\n"
			      "1: 64 [1: 64] @ 0x11\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "          1         64: 1 \n"
		  "                bytes:[64]\n");
}

TEST(without_a_rate_nothing_is_scaled)
{
	CHECK_STR(legacy_raw("heap profile: 1: 1 [1: 1] @ heap_v2\n"
			     "7: 64 [7: 64] @ 0x11\n"),
		  "PeriodType: space bytes\n"
		  "Period: 0\n"
		  "Samples:\n"
		  "objects/count space/bytes\n"
		  "          7         64: 1 \n"
		  "                bytes:[9]\n"
		  "Locations\n"
		  "     1: 0x10 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(objects_without_bytes_are_none_once_scaled)
{
	CHECK_STR(legacy_part("heap profile: 1: 1 [1: 1] @ heap_v2/512\n"
			      "7: 0 [7: 0] @ 0x11\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "          0          0: 1 \n"
		  "                bytes:[0]\n");
}

TEST(objects_without_bytes_stay_where_nothing_is_sampled)
{
	CHECK_STR(legacy_part("heap profile: 1: 1 [1: 1] @ heapprofile\n"
			      "7: 0 [7: 0] @ 0x11\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "          7          0: 1 \n"
		  "                bytes:[0]\n");
}

TEST(the_block_size_is_that_of_what_is_in_use)
{
	CHECK_STR(
		legacy_part("heap profile: 1: 1 [9: 9] @ heapprofile\n"
			    "2: 100 [10: 1000] @ 0x11\n"
			    "0: 0 [10: 1000] @ 0x11\n",
			    "Samples:"),
		"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes\n"
		"         10       1000          2        100: 1 \n"
		"                bytes:[50]\n"
		"         10       1000          0          0: 1 \n"
		"                bytes:[100]\n");
}

TEST(what_is_in_use_may_be_negative)
{
	CHECK_STR(legacy_part("heap profile: 1: 1 [1: 1] @ heapprofile\n"
			      "-2: -64 [2: 64] @ 0x11\n"
			      "  x-1: 8 [2: 64] @ 0x11\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "         -2        -64: 1 \n"
		  "                bytes:[32]\n"
		  "         -1          8: 1 \n"
		  "                bytes:[-8]\n");
}

TEST(the_smallest_number_divided_by_minus_one_does_not_trap)
{
	CHECK_STR(legacy_part("heap profile: 1: 1 [1: 1] @ heapprofile\n"
			      "-1: -9223372036854775808 [0: 0] @ 0x11\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "         -1 -9223372036854775808: 1 \n"
		  "                bytes:[-9223372036854775808]\n");
}

TEST(growth_is_not_scaled)
{
	CHECK_STR(legacy_raw("heap profile: 0: 0 [9: 9] @ growthz\n"
			     "1: 64 [2: 128] @ 0x11\n"),
		  "PeriodType: space bytes\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "objects/count space/bytes\n"
		  "          1         64: 1 \n"
		  "                bytes:[64]\n"
		  "Locations\n"
		  "     1: 0x10 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(fragmentation_is_not_scaled)
{
	CHECK_STR(legacy_part("heap profile: 1: 2 [1: 2] @ fragmentationz\n"
			      "1: 64 [2: 128] @ 0x11\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "          1         64: 1 \n"
		  "                bytes:[64]\n");
}

TEST(growth_wants_single_blanks)
{
	CHECK_EQ(legacy_read("heap profile: 1: 2 [1: 2]  @ growth\n"
			     "1: 64 [2: 128] @ 0x11\n"),
		 -ENOTSUP);
}

TEST(blanks_in_the_header_are_free)
{
	CHECK_STR(
		legacy_part("heap profile:1:  2[  3:4  ]@heapprofile\n"
			    "1: 64 [2: 128] @ 0x11\n",
			    "Samples:"),
		"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes\n"
		"          2        128          1         64: 1 \n"
		"                bytes:[64]\n");
}

TEST(text_around_the_header_does_not_matter)
{
	CHECK_STR(
		legacy_part(
			"see heap profile: 1: heap profile: 1: 2 [1: 2] @ heapprofile of today\n"
			"1: 64 [2: 128] @ 0x11\n",
			"Samples:"),
		"objects/count space/bytes\n"
		"          1         64: 1 \n"
		"                bytes:[64]\n");
}

TEST(another_kind_is_not_recognised)
{
	CHECK_EQ(legacy_read("heap profile: 1: 2 [1: 2] @ heapfrog\n"
			     "1: 64 [2: 128] @ 0x11\n"),
		 -ENOTSUP);
}

TEST(a_rate_of_more_than_63_bits_is_not_recognised)
{
	CHECK_EQ(
		legacy_read(
			"heap profile: 1: 2 [1: 2] @ heap_v2/9223372036854775808\n"),
		-ENOTSUP);
}

TEST(the_rate_of_heapprofile_does_not_matter)
{
	CHECK_STR(
		legacy_raw("heap profile: 1: 2 [1: 2] @ heapprofile/524288\n"),
		"PeriodType: space bytes\n"
		"Period: 1\n"
		"Samples:\n"
		"objects/count space/bytes\n"
		"Locations\n"
		"Mappings\n");
}

TEST(every_address_is_a_return_address)
{
	CHECK_STR(legacy_part("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			      "1: 64 [2: 128] @ 0x0 0x1000 0x1001\n",
			      "Locations"),
		  "     1: 0xffffffffffffffff M=1 \n"
		  "     2: 0xfff M=1 \n"
		  "     3: 0x1000 M=1 \n");
}

TEST(a_stack_may_be_empty)
{
	CHECK_STR(legacy_raw("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			     "1: 64 [2: 128] @\n"),
		  "PeriodType: space bytes\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "objects/count space/bytes\n"
		  "          1         64: \n"
		  "                bytes:[64]\n"
		  "Locations\n"
		  "Mappings\n");
}

TEST(upper_case_ends_the_addresses)
{
	CHECK_STR(legacy_part("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			      "1: 64 [2: 128] @ 0x11 0xAB 0x22\n",
			      "Locations"),
		  "     1: 0x10 M=1 \n");
}

TEST(comments_and_blank_lines_are_skipped)
{
	CHECK_STR(legacy_part("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			      "\n"
			      "# MAPPED_LIBRARIES:\n"
			      "1: 64 [2: 128] @ 0x11\n"
			      "  # 0x10 main.main\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "          1         64: 1 \n"
		  "                bytes:[64]\n");
}

TEST(lines_may_end_as_in_windows)
{
	CHECK_STR(legacy_raw("heap profile: 1: 2 [1: 2] @ heapprofile\r\n"
			     "1: 64 [2: 128] @ 0x11\r\n"
			     "\r\n"
			     "MAPPED_LIBRARIES:\r\n"
			     "0-100 /bin/a\r\n"),
		  "PeriodType: space bytes\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "objects/count space/bytes\n"
		  "          1         64: 1 \n"
		  "                bytes:[64]\n"
		  "Locations\n"
		  "     1: 0x10 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0x100/0x0 /bin/a  \n");
}

TEST(a_line_that_is_no_sample_is_an_error)
{
	CHECK_EQ(legacy_read("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			     "1: 64 [2: 128] 0x11\n"),
		 -EBADMSG);
}

TEST(bytes_without_objects_are_an_error)
{
	CHECK_EQ(legacy_read("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			     "0: 64 [2: 128] @ 0x11\n"),
		 -EBADMSG);
}

TEST(allocated_bytes_without_objects_are_an_error)
{
	CHECK_EQ(legacy_read("heap profile: 1: 1 [2: 2] @ heapprofile\n"
			     "1: 64 [0: 128] @ 0x11\n"),
		 -EBADMSG);
}

TEST(they_do_not_matter_if_they_are_not_told)
{
	CHECK_STR(legacy_part("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			      "1: 64 [0: 128] @ 0x11\n",
			      "Samples:"),
		  "objects/count space/bytes\n"
		  "          1         64: 1 \n"
		  "                bytes:[64]\n");
}

TEST(a_count_of_more_than_63_bits_is_an_error)
{
	CHECK_EQ(legacy_read("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			     "9223372036854775808: 64 [2: 128] @ 0x11\n"),
		 -EBADMSG);
}

TEST(an_address_of_more_than_64_bits_is_an_error)
{
	CHECK_EQ(legacy_read("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			     "1: 64 [2: 128] @ 0x11 0x10000000000000000\n"),
		 -EBADMSG);
}

TEST(an_address_may_have_any_number_of_zeros)
{
	CHECK_STR(
		legacy_part("heap profile: 1: 2 [1: 2] @ heapprofile\n"
			    "1: 64 [2: 128] @ 0x0000000000000000000000000011\n",
			    "Locations"),
		"     1: 0x10 M=1 \n");
}

TEST(a_heap_sample_may_be_longer_than_64_kilobytes)
{
	enum { FRAMES = 50000 };
	struct arena arena = { 0 };
	struct sink text = sink_to_memory(&arena);

	sink_text(&text,
		  "heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1 [1: 1] @");
	for (unsigned i = 1; i <= FRAMES; i++)
		sink_format(&text, " 0x%x", i * 16);
	sink_char(&text, '\n');
	CHECK_EQ(legacy_read_span(sink_bytes(&text)), 0);
	CHECK_EQ(legacy.profile.locations.count, FRAMES + 1);
	CHECK_EQ(legacy.profile.locations.at[FRAMES].address, FRAMES * 16 - 1);
	arena_release(&arena);
}

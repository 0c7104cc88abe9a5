/* SPDX-License-Identifier: MIT */
/* jemalloc's heap dumps. */
#include "legacy.h"

#include <errno.h>

#define HEADER \
	"heap_v2/524288\n" \
	"  t*: 3: 1048640 [0: 0]\n" \
	"  t0: 3: 1048640 [0: 0]\n"

TEST(the_sums_over_threads_are_read_and_scaled)
{
	CHECK_STR(legacy_raw(HEADER
			     "@ 0x1001 0x2001\n"
			     "  t*: 1: 64 [0: 0]\n"
			     "  t0: 1: 64 [0: 0]\n"
			     "@ 0x1001 0x3001\n"
			     "  t*: 2: 1048576 [0: 0]\n"
			     "  t0: 1: 524288 [0: 0]\n"
			     "  t12: 1: 524288 [0: 0] worker\n"
			     "\n"
			     "MAPPED_LIBRARIES:\n"
			     "1000-4000 r-xp 00000000 fc:00 11 /bin/server\n"
			     "4000-5000 rw-p 00003000 fc:00 11 /bin/server\n"),
		  "PeriodType: space bytes\n"
		  "Period: 524288\n"
		  "Samples:\n"
		  "objects/count space/bytes\n"
		  "       8192     524320: 1 2 \n"
		  "                bytes:[64]\n"
		  "          3    1658822: 1 3 \n"
		  "                bytes:[524288]\n"
		  "Locations\n"
		  "     1: 0x1000 M=1 \n"
		  "     2: 0x2000 M=1 \n"
		  "     3: 0x3000 M=1 \n"
		  "Mappings\n"
		  "1: 0x1000/0x4000/0x0 /bin/server  \n");
}

TEST(accumulated_allocations_are_read_where_there_are_any)
{
	CHECK_STR(
		legacy_part("heap_v2/1\n"
			    "  t*: 1: 16 [4: 80]\n"
			    "@ 0x11\n"
			    "  t*: 1: 16 [4: 80]\n",
			    "Samples:"),
		"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes\n"
		"          4         80          1         16: 1 \n"
		"                bytes:[16]\n");
}

TEST(a_dump_may_hold_nothing)
{
	CHECK_STR(legacy_part("heap_v2/524288\n", "Samples:"),
		  "objects/count space/bytes\n");
}

TEST(a_stack_at_the_end_without_its_sum_is_dropped)
{
	CHECK_STR(legacy_part(HEADER "@ 0x11\n"
				     "  t*: 1: 64 [0: 0]\n"
				     "@ 0x21\n",
			      "Locations"),
		  "     1: 0x10 M=1 \n");
}

TEST(a_second_sum_of_a_stack_is_an_error)
{
	CHECK_EQ(legacy_read(HEADER "@ 0x11\n"
				    "  t*: 1: 64 [0: 0]\n"
				    "  t*: 1: 64 [0: 0]\n"),
		 -EBADMSG);
}

TEST(bytes_without_objects_are_an_error)
{
	CHECK_EQ(legacy_read(HEADER "@ 0x11\n"
				    "  t*: 0: 64 [0: 0]\n"),
		 -EBADMSG);
	CHECK_STR(
		legacy.error.text,
		"line 5 does not belong in a heap dump: '  t*: 0: 64 [0: 0]'");
}

TEST(an_address_of_more_than_64_bits_is_an_error)
{
	CHECK_EQ(legacy_read(HEADER "@ 0x10000000000000000\n"), -EBADMSG);
}

TEST(other_lines_are_errors)
{
	CHECK_EQ(legacy_read(HEADER "tx: 1: 64 [0: 0]\n"), -EBADMSG);
	CHECK_EQ(legacy_read(HEADER "t1 1: 64 [0: 0]\n"), -EBADMSG);
	CHECK_EQ(legacy_read(HEADER "t1: 1: 64\n"), -EBADMSG);
	CHECK_EQ(legacy_read(HEADER "what\n"), -EBADMSG);
}

TEST(a_header_with_more_behind_it_is_not_recognised)
{
	CHECK_EQ(legacy_read("heap_v2/524288 \n"), -ENOTSUP);
	CHECK_EQ(legacy_read("heap_v2/\n"), -ENOTSUP);
	CHECK_EQ(legacy_read("heap_v3/1\n"), -ENOTSUP);
	CHECK_EQ(legacy_read("heap_v2/9223372036854775808\n"), -ENOTSUP);
}

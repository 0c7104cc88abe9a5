/* SPDX-License-Identifier: MIT */
/* Memory maps. */
#include "legacy.h"

#include <errno.h>

TEST(the_kernels_form_is_read)
{
	CHECK_STR(legacy_raw("x profile: total 1\n"
			     "1 @ 0x1001 0x2001 0x3001\n"
			     "--- Memory map: ---\n"
			     "00001000-00002000 r-xp 00000100 fc:00 11 /bin/x\n"
			     "2000-4000 r-xp 00000000 00:00 0\n"),
		  "PeriodType: x count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "x/count\n"
		  "          1: 1 2 3 \n"
		  "Locations\n"
		  "     1: 0x1000 M=1 \n"
		  "     2: 0x2000 M=1 \n"
		  "     3: 0x3000 M=1 \n"
		  "Mappings\n"
		  "1: 0x1000/0x4000/0x100 /bin/x  \n");
}

TEST(the_brief_form_is_read)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000: /bin/x (@100) abcdef12\n"
			      "0x2000 0x4000 /lib/y.so\n",
			      "Mappings"),
		  "1: 0x1000/0x2000/0x100 /bin/x abcdef12 \n"
		  "2: 0x2000/0x4000/0x0 /lib/y.so  \n");
}

TEST(a_limit_may_follow_in_many_ways)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 a\n"
			      "2000 3000 b\n"
			      "3000- 4000 c\n"
			      "4000   5000 d\n"
			      "0x5000-0x6000: e\n",
			      "Mappings"),
		  "1: 0x1000/0x2000/0x0 a  \n"
		  "2: 0x2000/0x3000/0x0 b  \n"
		  "3: 0x3000/0x4000/0x0 c  \n"
		  "4: 0x4000/0x5000/0x0 d  \n"
		  "5: 0x5000/0x6000/0x0 e  \n");
}

TEST(what_can_not_be_executed_is_skipped)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 rw-p 00000000 fc:00 11 /bin/x\n"
			      "1000-3000 r--p /bin/y\n"
			      "3000-4000 --x /bin/z\n",
			      "Mappings"),
		  "1: 0x3000/0x4000/0x0 /bin/z  \n"
		  "2: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(a_name_that_looks_like_rights_is_taken_for_them)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 program\n"
			      "1000-4000 /bin/x\n",
			      "Mappings"),
		  "1: 0x1000/0x4000/0x0 /bin/x  \n");
}

TEST(a_name_ends_at_a_space)
{
	CHECK_STR(legacy_part(
			  "x profile: total 1\n"
			  "1 @ 0x1001 0x2001 0x3001\n"
			  "--- Memory map: ---\n"
			  "1000-4000 r-xp 00000000 fc:00 11 /bin/my program\n",
			  "Mappings"),
		  "1: 0x1000/0x4000/0x0 /bin/my  \n");
}

TEST(a_single_number_is_cut_before_its_last_digit)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "deadbeef\n"
			      "12340x5000 /bin/x\n"
			      "1\n",
			      "Mappings"),
		  "1: 0x1234/0x5000/0x0 /bin/x  \n"
		  "2: 0xdeadbee/0xf/0x0   \n"
		  "3: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(a_number_too_large_is_no_entry)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "10000000000000000-20000000000000000 /bin/x\n"
			      "1000-10000000000000000 /bin/x\n",
			      "Mappings"),
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(the_prefix_of_a_log_is_removed)
{
	CHECK_STR(
		legacy_part("x profile: total 1\n"
			    "1 @ 0x1001 0x2001 0x3001\n"
			    "--- Memory map: ---\n"
			    "I0102 12:00:00 7 server.cc:88] 1000-4000: /bin/x\n"
			    "[1] a.cc:1] 1000-4000: /bin/y\n",
			    "Mappings"),
		"1: 0x1000/0x4000/0x0 /bin/x  \n");
}

TEST(variables_are_replaced)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "build=/srv/app\n"
			      "1000-4000 $build/bin/x\n",
			      "Mappings"),
		  "1: 0x1000/0x4000/0x0 /srv/app/bin/x  \n");
}

TEST(the_first_definition_of_a_variable_counts)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "a=/one\n"
			      "a=/two\n"
			      "ab=/three\n"
			      "1000-4000 $ab$a$\n",
			      "Mappings"),
		  "1: 0x1000/0x4000/0x0 /oneb/one$  \n"
		  "2: 0xa/0xb/0x0   \n");
}

TEST(variables_may_be_made_of_others)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "a = /srv\n"
			      "$b = x\n"
			      "b=$a/$a\n"
			      "1000-4000 $b\n",
			      "Mappings"),
		  "1: 0x1000/0x4000/0x0 /srv//srv  \n");
}

TEST(the_empty_variable_is_a_dollar)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "=X\n"
			      "1000-4000 /$a\n",
			      "Mappings"),
		  "1: 0x1000/0x4000/0x0 /Xa  \n");
}

TEST(parts_of_one_mapping_are_joined)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 r-xp 00000000 fc:00 11 /bin/x\n"
			      "2000-3000 r-xp 00000000 fc:00 11 /bin/x\n"
			      "3000-4000 /bin/x (@2000) ab\n",
			      "Mappings"),
		  "1: 0x1000/0x4000/0x0 /bin/x ab \n");
}

TEST(parts_of_different_files_are_not)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 /bin/x\n"
			      "2000-4000 /bin/y\n",
			      "Mappings"),
		  "1: 0x1000/0x2000/0x0 /bin/x  \n"
		  "2: 0x2000/0x4000/0x0 /bin/y  \n");
}

TEST(parts_with_other_offsets_are_not)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 /bin/x (@10)\n"
			      "2000-4000 /bin/x (@20)\n",
			      "Mappings"),
		  "1: 0x1000/0x2000/0x10 /bin/x  \n"
		  "2: 0x2000/0x4000/0x20 /bin/x  \n");
}

TEST(parts_with_other_build_ids_are_not)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 /bin/x (@0) aa\n"
			      "2000-4000 /bin/x (@0) bb\n",
			      "Mappings"),
		  "1: 0x1000/0x2000/0x0 /bin/x aa \n"
		  "2: 0x2000/0x4000/0x0 /bin/x bb \n");
}

TEST(a_part_without_a_name_takes_its_neighbours)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000\n"
			      "2000-4000 /bin/x\n",
			      "Mappings"),
		  "1: 0x1000/0x4000/0x0 /bin/x  \n");
}

TEST(the_program_comes_first)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 /lib/a.so\n"
			      "2000-2800 /lib/b.so.6 \n"
			      "3000-3800 [vdso]\n"
			      "5000-6000 /bin/x\n"
			      "8000-9000 /bin/y\n",
			      "Mappings"),
		  "1: 0x5000/0x6000/0x0 /bin/x  \n"
		  "2: 0x2000/0x2800/0x0 /lib/b.so.6  \n"
		  "3: 0x3000/0x3800/0x0 [vdso]  \n"
		  "4: 0x1000/0x2000/0x0 /lib/a.so  \n"
		  "5: 0x8000/0x9000/0x0 /bin/y  \n");
}

TEST(a_deleted_program_is_one)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 (deleted)\n"
			      "3000-4000 /lib/c.so(deleted)\n"
			      "5000-6000 /bin/x(deleted)\n",
			      "Mappings"),
		  "1: 0x5000/0x6000/0x0 /bin/x(deleted)  \n"
		  "2: 0x3000/0x4000/0x0 /lib/c.so(deleted)  \n"
		  "3: 0x1000/0x2000/0x0 (deleted)  \n"
		  "4: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(a_name_with_so_in_the_middle_is_a_program)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 /lib/a.so_1\n"
			      "3000-4000 /bin/x.sort\n",
			      "Mappings"),
		  "1: 0x3000/0x4000/0x0 /bin/x.sort  \n"
		  "2: 0x1000/0x2000/0x0 /lib/a.so_1  \n"
		  "3: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(huge_pages_before_the_program_are_dropped)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 /anon_hugepage_x\n"
			      "2000-4000 /bin/x\n",
			      "Mappings"),
		  "1: 0x2000/0x4000/0x0 /bin/x  \n"
		  "2: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(huge_pages_elsewhere_stay)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1000-2000 /anon_hugepage\n"
			      "3000-4000 /bin/x\n",
			      "Mappings"),
		  "1: 0x1000/0x2000/0x0 /anon_hugepage  \n"
		  "2: 0x3000/0x4000/0x0 /bin/x  \n"
		  "3: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(the_usual_start_of_a_program_is_restored)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "401000-402000 /bin/x (@1000)\n",
			      "Mappings"),
		  "1: 0x400000/0x402000/0x0 /bin/x  \n"
		  "2: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(a_mapping_whose_start_is_missing_is_widened)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "1800-4000 /bin/x (@800)\n",
			      "Mappings"),
		  "1: 0x1000/0x4000/0x0 /bin/x  \n");
}

TEST(a_mapping_is_widened_once)
{
	CHECK_STR(legacy_raw("x profile: total 1\n"
			     "1 @ 0x1001 0x2001 0x3001\n"
			     "--- Memory map: ---\n"
			     "3000-1000 /bin/x (@2800)\n"),
		  "PeriodType: x count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "x/count\n"
		  "          1: 1 2 3 \n"
		  "Locations\n"
		  "     1: 0x1000 M=1 \n"
		  "     2: 0x2000 M=2 \n"
		  "     3: 0x3000 M=2 \n"
		  "Mappings\n"
		  "1: 0x800/0x1000/0x0 /bin/x  \n"
		  "2: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(the_first_of_overlapping_mappings_counts)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001 0x2001 0x3001\n"
			      "--- Memory map: ---\n"
			      "2000-5000 /bin/x\n"
			      "1000-6000 /bin/y\n",
			      "Locations"),
		  "     1: 0x1000 M=2 \n"
		  "     2: 0x2000 M=1 \n"
		  "     3: 0x3000 M=1 \n");
}

TEST(addresses_without_a_mapping_share_one_of_everything)
{
	CHECK_STR(legacy_raw("x profile: total 1\n"
			     "1 @ 0x1001 0x2001 0x3001\n"
			     "--- Memory map: ---\n"
			     "9000-a000 /bin/x\n"),
		  "PeriodType: x count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "x/count\n"
		  "          1: 1 2 3 \n"
		  "Locations\n"
		  "     1: 0x1000 M=2 \n"
		  "     2: 0x2000 M=2 \n"
		  "     3: 0x3000 M=2 \n"
		  "Mappings\n"
		  "1: 0x9000/0xa000/0x0 /bin/x  \n"
		  "2: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(once_it_is_there_nothing_is_widened)
{
	CHECK_STR(legacy_raw("x profile: total 1\n"
			     "1 @ 0x1001 0x2001 0x3001\n"
			     "--- Memory map: ---\n"
			     "2800-4000 /bin/x (@800)\n"),
		  "PeriodType: x count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "x/count\n"
		  "          1: 1 2 3 \n"
		  "Locations\n"
		  "     1: 0x1000 M=2 \n"
		  "     2: 0x2000 M=2 \n"
		  "     3: 0x3000 M=1 \n"
		  "Mappings\n"
		  "1: 0x2800/0x4000/0x800 /bin/x  \n"
		  "2: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(the_last_address_is_in_no_mapping_but_has_it)
{
	CHECK_STR(legacy_raw("x profile: total 1\n"
			     "1 @ 0x0 0x1001\n"),
		  "PeriodType: x count\n"
		  "Period: 1\n"
		  "Samples:\n"
		  "x/count\n"
		  "          1: 1 2 \n"
		  "Locations\n"
		  "     1: 0xffffffffffffffff M=1 \n"
		  "     2: 0x1000 M=1 \n"
		  "Mappings\n"
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

TEST(address_zero_has_no_mapping)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1 0x1001\n"
			      "--- Memory map: ---\n"
			      "0-2000 /bin/x\n",
			      "Locations"),
		  "     1: 0x0 \n"
		  "     2: 0x1000 M=1 \n");
}

TEST(a_header_may_be_part_of_a_line)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001\n"
			      "--- x MAPPED_LIBRARIES: y\n"
			      "1000-2000 /bin/x\n",
			      "Mappings"),
		  "1: 0x1000/0x2000/0x0 /bin/x  \n");
}

TEST(a_map_without_a_header_is_not_read)
{
	CHECK_STR(legacy_part("x profile: total 1\n"
			      "1 @ 0x1001\n"
			      "---\n"
			      "1000-2000 /bin/x\n",
			      "Mappings"),
		  "1: 0x0/0xffffffffffffffff/0x0   \n");
}

/* Twenty lines would make a name of a terabyte. */
TEST(variables_that_grow_without_end_are_stopped)
{
	struct arena arena = { 0 };
	struct sink text = sink_to_memory(&arena);

	sink_text(&text, "x profile: total 0\n--- Memory map: ---\ng=g\n");
	for (char c = 'h'; c <= 'z'; c++)
		sink_format(&text, "%c=$%c$%c$%c$%c\n", c, c - 1, c - 1, c - 1,
			    c - 1);
	CHECK_EQ(legacy_read_span(sink_bytes(&text)), -E2BIG);
	arena_release(&arena);
}

TEST(many_variables_in_many_places_are_stopped)
{
	struct arena arena = { 0 };
	struct sink text = sink_to_memory(&arena);

	sink_text(&text, "x profile: total 0\n--- Memory map: ---\n");
	for (unsigned i = 0; i < 50000; i++)
		sink_format(&text, "g%u=1\n", i);
	sink_repeat(&text, '$', 50000);
	CHECK_EQ(legacy_read_span(sink_bytes(&text)), -E2BIG);
	arena_release(&arena);
}

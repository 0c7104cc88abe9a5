/* SPDX-License-Identifier: MIT */
/* The table of what most was spent in, of a profile as it is. */
#include "picture/top.h"

#include "base/sink.h"
#include "folded.h"
#include "test.h"

static struct arena arena;

static const char *top(const struct profile *p, uint32_t count)
{
	struct sink out = sink_to_memory(&arena);

	CHECK_EQ(top_write(p, 0, count, &out, &arena), 0);
	sink_char(&out, '\0');
	return out.buf;
}

TEST(functions_stand_in_the_order_of_what_they_took)
{
	struct profile p = folded(&arena, "main;parse;read 6\nmain;parse 3\n"
					  "main 1\n");

	CHECK_STR(top(&p, 0),
		  "samples of prog: 10 in 3 samples\n"
		  "\n" TOP_HEADING
		  "         6 60.00% 60.00%          6 60.00%  read\n"
		  "         3 30.00% 90.00%          9 90.00%  parse\n"
		  "         1 10.00%   100%         10   100%  main\n");
}

TEST(a_table_ends_where_it_was_told_to)
{
	struct profile p = folded(&arena, "a 3\nb 2\nc 1\n");

	CHECK_STR(top(&p, 1),
		  "samples of prog: 6 in 3 samples\n"
		  "\n" TOP_HEADING
		  "         3 50.00% 50.00%          3 50.00%  a\n");
}

TEST(recursion_counts_once_and_losses_are_told)
{
	struct profile p = folded(&arena, "f;f;f 2\n");

	p.loss.count[LOSS_STACKS] = 1;
	CHECK(strstr(top(&p, 0),
		     "         2   100%   100%          2   100%  f\n"));
	CHECK(strstr(top(&p, 0), "1 stack"));
}

TEST(an_empty_profile_has_an_empty_table)
{
	struct profile p = folded(&arena, "a 0\n");

	CHECK(strstr(top(&p, 0), TOP_HEADING));
}

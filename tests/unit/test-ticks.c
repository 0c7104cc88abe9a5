/* SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "collect/ticks.h"
#include "test.h"

TEST(a_gap_counts_as_the_ticks_that_are_missing)
{
	struct arena arena = { 0 };
	struct ticks t = { .period = 1000000 };

	CHECK_EQ(ticks_take(&t, &arena, 0, 5000000), 1);
	CHECK_EQ(ticks_take(&t, &arena, 0, 6000000), 1);
	CHECK_EQ(ticks_take(&t, &arena, 0, 9100000), 3);
	/* Early or at once, it is still a sample. */
	CHECK_EQ(ticks_take(&t, &arena, 0, 9100001), 1);
	/* Another processor has a clock of its own. */
	CHECK_EQ(ticks_take(&t, &arena, 3, 20000000), 1);
	CHECK_EQ(ticks_take(&t, &arena, 3, 22000000), 2);
	arena_release(&arena);
}

TEST(a_clock_that_was_stopped_counts_for_nothing)
{
	struct arena arena = { 0 };
	struct ticks t = { .period = 1000000 };

	CHECK_EQ(ticks_take(&t, &arena, 1, 1000000), 1);
	CHECK_EQ(ticks_take(&t, &arena, 1, 2500000000), 1);
	/* Nor does one that goes back, or a processor that cannot be. */
	CHECK_EQ(ticks_take(&t, &arena, 1, 1000000), 1);
	CHECK_EQ(ticks_take(&t, &arena, UINT32_MAX, 1000000), 1);
	arena_release(&arena);
}

TEST(samples_that_are_no_ticks_stand_for_themselves)
{
	struct arena arena = { 0 };
	struct ticks t = { 0 };

	CHECK_EQ(ticks_take(&t, &arena, 0, 1000000), 1);
	CHECK_EQ(ticks_take(&t, &arena, 0, 9000000), 1);
	arena_release(&arena);
}

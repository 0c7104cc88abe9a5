/* SPDX-License-Identifier: MIT */
/* Overlapping ranges of code become disjoint segments. */
#include "test.h"

#include "base/arena.h"
#include "dwarf/flatten.h"

TEST(an_inner_range_is_cut_out_of_the_outer)
{
	const struct code_range range[] = {
		{ 10, 100, 1 },
		{ 20, 40, 2 },
		{ 25, 30, 3 },
		{ 60, 70, 4 },
	};
	const struct code_segment expected[] = {
		{ 10, 1 }, { 20, 2 }, { 25, 3 }, { 30, 2 },
		{ 40, 1 }, { 60, 4 }, { 70, 1 }, { 100, 0 },
	};
	struct arena arena = { 0 };
	code_segment_vec out = { 0 };
	uint32_t near = 0;

	CHECK(flatten(range, 4, &out, &arena, &arena));
	CHECK_EQ(out.count, 8);
	CHECK_BYTES(out.at, sizeof(expected), expected, sizeof(expected));
	CHECK_EQ(code_segments_find(&out, 9, &near), 0);
	CHECK_EQ(code_segments_find(&out, 27, &near), 3);
	CHECK_EQ(code_segments_find(&out, 99, &near), 1);
	CHECK_EQ(code_segments_find(&out, 100, &near), 0);
	arena_release(&arena);
}

TEST(of_equal_ranges_the_highest_owner_wins)
{
	const struct code_range range[] = { { 5, 9, 7 }, { 5, 9, 3 } };
	struct arena arena = { 0 };
	code_segment_vec out = { 0 };
	uint32_t near = 0;

	CHECK(flatten(range, 2, &out, &arena, &arena));
	CHECK_EQ(code_segments_find(&out, 5, &near), 7);
	CHECK_EQ(out.count, 2);
	arena_release(&arena);
}

/* What each address belongs to, found the slow way. */
static uint32_t owner_of(const struct code_range *range, uint32_t count,
			 uint32_t pc)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < count; i++)
		if (pc >= range[i].low && pc < range[i].high &&
		    range[i].owner > best)
			best = range[i].owner;
	return best;
}

TEST(ranges_that_do_not_nest_agree_with_a_slow_search)
{
	struct code_range range[60];
	struct arena arena = { 0 };
	code_segment_vec out = { 0 };
	uint32_t near = 0;
	uint64_t state = 1;

	for (uint32_t i = 0; i < 60; i++) {
		state = state * 6364136223846793005u + 1;
		range[i].low = state >> 40 & 255;
		range[i].high = range[i].low + (state >> 50 & 63);
		range[i].owner = i + 1;
	}
	CHECK(flatten(range, 60, &out, &arena, &arena));
	for (uint32_t pc = 0; pc < 400; pc++)
		CHECK_EQ(code_segments_find(&out, pc, &near),
			 owner_of(range, 60, pc));
	/* Where the last answer was must not matter. */
	for (uint32_t i = 0; i < 4000; i++) {
		uint32_t pc = i * 7919 % 401;

		CHECK_EQ(code_segments_find(&out, pc, &near),
			 owner_of(range, 60, pc));
	}
	arena_release(&arena);
}

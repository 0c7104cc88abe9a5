/* SPDX-License-Identifier: MIT */
/* The linear sort, against its promises. */
#include "test.h"

#include "base/sort.h"

enum { COUNT = 5000 };

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 20;
}

static void check_sorted(uint64_t mask)
{
	static struct sort_item items[COUNT], scratch[COUNT];
	uint64_t state = mask;

	for (uint32_t i = 0; i < COUNT; i++)
		items[i] = (struct sort_item){
			.key = next_random(&state) & mask,
			.id = i,
		};
	sort_items(items, scratch, COUNT);
	for (uint32_t i = 1; i < COUNT; i++) {
		CHECK(items[i - 1].key <= items[i].key);
		CHECK(items[i - 1].key < items[i].key ||
		      items[i - 1].id < items[i].id);
	}
}

TEST(rows_are_sorted_and_equal_ones_keep_their_order)
{
	check_sorted(UINT64_MAX);
	check_sorted(0xff);
	check_sorted(0xff00ff00);
	check_sorted(0);
}

TEST(nothing_and_one_row_are_sorted)
{
	struct sort_item one = { .key = 7, .id = 3 };
	struct sort_item scratch;

	sort_items(&one, &scratch, 0);
	sort_items(&one, &scratch, 1);
	CHECK_EQ(one.key, 7);
	CHECK_EQ(one.id, 3);
}

TEST(the_first_of_equal_keys_is_found)
{
	const struct sort_item items[] = {
		{ .key = 2 }, { .key = 5 }, { .key = 5 }, { .key = 9 }
	};

	CHECK_EQ(sort_find(items, 4, 0), 0);
	CHECK_EQ(sort_find(items, 4, 2), 0);
	CHECK_EQ(sort_find(items, 4, 3), 1);
	CHECK_EQ(sort_find(items, 4, 5), 1);
	CHECK_EQ(sort_find(items, 4, 6), 3);
	CHECK_EQ(sort_find(items, 4, 10), 4);
	CHECK_EQ(sort_find(NULL, 0, 5), 0);
}

/* SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "profile/idmap.h"
#include "test.h"

TEST(ids_of_all_kinds_are_found)
{
	const uint64_t ids[] = { 1, 2, 3, 5, 4, 70, 1000, UINT64_MAX, 7 };
	struct arena arena = { 0 };
	struct idmap m;

	CHECK_EQ(idmap_init(&m, &arena, 9), 0);
	for (uint32_t i = 0; i < 9; i++)
		CHECK_EQ(idmap_add(&m, ids[i], i + 1), 0);
	for (uint32_t i = 0; i < 9; i++)
		CHECK_EQ(idmap_find(&m, ids[i]), i + 1);
	CHECK_EQ(idmap_find(&m, 0), 0);
	CHECK_EQ(idmap_find(&m, 6), 0);
	CHECK_EQ(idmap_find(&m, 71), 0);
	CHECK_EQ(idmap_find(&m, UINT64_MAX - 1), 0);
	arena_release(&arena);
}

TEST(ids_that_are_their_rows_need_no_array)
{
	struct arena arena = { 0 };
	struct idmap m;

	CHECK_EQ(idmap_init(&m, &arena, 3), 0);
	CHECK_EQ(idmap_add(&m, 1, 1), 0);
	CHECK_EQ(idmap_add(&m, 2, 2), 0);
	CHECK_EQ(idmap_add(&m, 4, 3), 0);
	CHECK_EQ(m.same, 2);
	CHECK_EQ(idmap_find(&m, 2), 2);
	CHECK_EQ(idmap_find(&m, 3), 0);
	CHECK_EQ(idmap_find(&m, 4), 3);
	arena_release(&arena);
}

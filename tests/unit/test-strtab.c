/* SPDX-License-Identifier: MIT */
/* Strings stored once. */
#include "base/strtab.h"

#include <stdio.h>

#include "base/arena.h"
#include "test.h"

TEST(the_empty_string_is_id_zero)
{
	struct arena a = { 0 };
	struct strtab t;

	strtab_init(&t, &a);
	CHECK_EQ(strtab_add_text(&t, ""), 0);
	CHECK_STR(str_text(&t, 0), "");
	CHECK_EQ(str_len(&t, 0), 0);
	arena_release(&a);
}

TEST(equal_strings_have_equal_ids)
{
	struct arena a = { 0 };
	struct strtab t;
	str_id main_id;

	strtab_init(&t, &a);
	main_id = strtab_add_text(&t, "main");
	CHECK(main_id != 0);
	CHECK_EQ(strtab_add(&t, "mainly", 4), main_id);
	CHECK_EQ(strtab_add_static(&t, "main", 4), main_id);
	CHECK_EQ(strtab_find(&t, "main", 4), main_id);
	CHECK(strtab_add_text(&t, "mainly") != main_id);
	CHECK_STR(str_text(&t, main_id), "main");
	arena_release(&a);
}

TEST(a_string_that_is_not_there_is_not_found)
{
	struct arena a = { 0 };
	struct strtab t;

	strtab_init(&t, &a);
	CHECK_EQ(strtab_find(&t, "main", 4), UINT32_MAX);
	strtab_add_text(&t, "main");
	CHECK_EQ(strtab_find(&t, "mai", 3), UINT32_MAX);
	CHECK_STR(str_text(&t, 12345), "");
	arena_release(&a);
}

TEST(strings_may_hold_any_bytes)
{
	struct arena a = { 0 };
	struct strtab t;
	str_id one, two;

	strtab_init(&t, &a);
	one = strtab_add(&t, "a\0b", 3);
	two = strtab_add(&t, "a\0c", 3);
	CHECK(one != two);
	CHECK_EQ(str_len(&t, one), 3);
	arena_release(&a);
}

TEST(a_hundred_thousand_strings_are_all_found)
{
	struct arena a = { 0 };
	struct strtab t;
	char name[32];

	strtab_init(&t, &a);
	for (unsigned i = 1; i <= 100000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		CHECK_EQ(strtab_add_text(&t, name), i);
	}
	for (unsigned i = 1; i <= 100000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		CHECK_EQ(strtab_add_text(&t, name), i);
	}
	arena_release(&a);
}

TEST(order_is_that_of_bytes)
{
	struct arena a = { 0 };
	struct strtab t;
	str_id ab, abc, b;

	strtab_init(&t, &a);
	ab = strtab_add_text(&t, "ab");
	abc = strtab_add_text(&t, "abc");
	b = strtab_add_text(&t, "b");
	CHECK(str_compare(&t, ab, abc) < 0);
	CHECK(str_compare(&t, b, abc) > 0);
	CHECK_EQ(str_compare(&t, b, b), 0);
	CHECK(str_compare(&t, 0, ab) < 0);
	arena_release(&a);
}

TEST(out_of_memory_gives_id_zero_and_sets_the_arenas_flag)
{
	struct arena a = { .limit = 200000 };
	struct strtab t;
	char name[32];
	unsigned i = 0;

	strtab_init(&t, &a);
	do
		snprintf(name, sizeof(name), "function_%u", i++);
	while (strtab_add_text(&t, name) && i < 1000000);
	CHECK(i > 100 && i < 1000000);
	CHECK(a.failed);
	arena_release(&a);
}

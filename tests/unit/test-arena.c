/* SPDX-License-Identifier: MIT */
/* Memory that is released all at once. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/vec.h"
#include "test.h"

static bool all_zero(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

TEST(an_empty_arena_has_nothing_to_release)
{
	struct arena a = { 0 };

	CHECK_EQ(a.mapped, 0);
	arena_release(&a);
}

TEST(memory_is_zeroed_aligned_and_apart)
{
	struct arena a = { 0 };
	char *last = NULL;

	for (size_t size = 1; size < 3000; size += 7) {
		char *p = arena_alloc(&a, size);

		CHECK(p && p != last);
		CHECK_EQ((uintptr_t)p % 16, 0);
		CHECK(all_zero(p, size));
		memset(p, 0xff, size);
		last = p;
	}
	arena_release(&a);
	CHECK_EQ(a.mapped, 0);
}

TEST(a_released_arena_can_be_used_again)
{
	struct arena a = { .limit = 1 << 20 };

	CHECK(arena_alloc(&a, 100000));
	arena_release(&a);
	CHECK_EQ(a.limit, 1 << 20);
	CHECK(arena_alloc(&a, 10));
	arena_release(&a);
}

TEST(an_arena_that_was_reset_gives_zeroed_memory_again)
{
	struct arena a = { 0 };

	arena_reset(&a);
	for (unsigned round = 0; round < 3; round++) {
		for (size_t size = 1; size < 100000; size *= 3) {
			unsigned char *p = arena_alloc(&a, size);

			CHECK(p);
			CHECK_EQ(p[0] | p[size / 2] | p[size - 1], 0);
			memset(p, 0xff, size);
		}
		arena_reset(&a);
		CHECK(a.mapped > 0);
		CHECK(!a.large);
	}
	arena_release(&a);
	CHECK_EQ(a.mapped, 0);
}

TEST(growing_keeps_what_was_there_and_zeroes_the_rest)
{
	struct arena a = { 0 };
	char *p = NULL;
	size_t old = 0;

	for (size_t size = 10; size < 10 << 20; size = size * 3 / 2) {
		p = arena_resize(&a, p, old, size);
		CHECK(p);
		for (size_t i = 0; i < old; i++)
			CHECK(p[i] == 'x');
		CHECK(all_zero(p + old, size - old));
		memset(p, 'x', size);
		old = size;
	}
	arena_release(&a);
}

TEST(a_large_allocation_grows_without_a_copy_left_behind)
{
	for (unsigned huge = 0; huge < 2; huge++) {
		struct arena a = { .huge_pages = huge };
		/* Rounded up to whole ones, which is less than a copy. */
		size_t most = (1 << 25) + (huge ? 1 << 21 : 1 << 12);
		void *p = arena_alloc(&a, 1 << 23);

		p = arena_resize(&a, p, 1 << 23, 1 << 25);
		CHECK(p);
		CHECK(a.mapped <= most);
		arena_release(&a);
		CHECK_EQ(a.huge_pages, huge);
	}
}

TEST(a_large_allocation_can_be_given_back_early)
{
	struct arena a = { 0 };
	void *keep = arena_alloc(&a, 100000);
	void *p = arena_alloc(&a, 1 << 20);
	void *q = arena_alloc(&a, 100000);
	size_t before = a.mapped;

	CHECK(keep && p && q);
	arena_free(&a, p, 1 << 20);
	CHECK(before - a.mapped >= 1 << 20);
	arena_free(&a, keep, 100000);
	arena_free(&a, NULL, 0);
	arena_release(&a);
}

TEST(beyond_the_limit_allocation_fails_and_says_so)
{
	struct arena a = { .limit = 1 << 20 };
	char *p = arena_alloc(&a, 100000);
	int more = 0;

	CHECK(p && !a.failed);
	CHECK(!arena_resize(&a, p, 100000, 2 << 20));
	CHECK(a.failed);
	p[99999] = 'x'; /* still ours */
	while (arena_alloc(&a, 1000))
		CHECK(++more < 2000);
	CHECK(a.mapped <= a.limit);
	arena_release(&a);
}

TEST(sizes_that_can_not_be_are_refused)
{
	struct arena a = { 0 };

	CHECK(!arena_alloc(&a, SIZE_MAX));
	CHECK(!arena_array(&a, SIZE_MAX / 2, 3));
	CHECK(!arena_text(&a, "", SIZE_MAX));
	CHECK(!arena_resize(&a, NULL, 0, SIZE_MAX - 1));
	CHECK(a.failed);
	arena_release(&a);
}

/* Of the pages that hold these bytes, whether the kernel has given all. */
static bool are_there(char *at, size_t len)
{
	enum { PAGE = 4096, MOST = 1024 };
	char *begin = at - (uintptr_t)at % PAGE;
	size_t pages = ((size_t)(at + len - begin) + PAGE - 1) / PAGE;
	unsigned char there[MOST];

	CHECK(pages <= MOST);
	CHECK_EQ(mincore(begin, pages * PAGE, there), 0);
	for (size_t i = 0; i < pages; i++)
		if (!(there[i] & 1))
			return false;
	return true;
}

TEST(a_table_has_its_memory_at_once)
{
	struct arena a = { .limit = 1 << 22 };
	uint32_t *small = ARENA_TABLE(&a, uint32_t, 10);
	uint32_t *large = ARENA_TABLE(&a, uint32_t, 100000);
	char *other = arena_alloc(&a, 400000);

	CHECK(small && large && other);
	/* Before Linux 5.14 it is there when it is used. */
	if (madvise(other - (uintptr_t)other % 4096, 4096,
		    MADV_POPULATE_WRITE) == 0)
		CHECK(are_there((char *)large, 400000));
	CHECK(!are_there(other, 400000));
	CHECK(all_zero((char *)small, 40) && all_zero((char *)large, 400000));
	CHECK(!ARENA_TABLE(&a, uint32_t, 1 << 20));
	CHECK(!ARENA_TABLE(&a, uint32_t, SIZE_MAX / 2));
	CHECK(a.failed);
	arena_release(&a);
}

TEST(a_copied_text_is_terminated)
{
	struct arena a = { 0 };

	CHECK_STR(arena_text(&a, "abcdef", 3), "abc");
	CHECK_STR(arena_text(&a, NULL, 0), "");
	arena_release(&a);
}

TEST(a_column_grows_and_keeps_its_items)
{
	struct arena a = { 0 };
	VEC(uint32_t) v = { 0 };

	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t *item = VEC_PUSH(&v, &a);

		CHECK(item && !*item);
		*item = i;
	}
	CHECK_EQ(v.count, 100000);
	for (uint32_t i = 0; i < v.count; i++)
		CHECK_EQ(v.at[i], i);
	arena_release(&a);
}

TEST(a_column_that_can_not_grow_keeps_what_it_has)
{
	struct arena a = { .limit = 200000 };
	VEC(uint64_t) v = { 0 };
	uint32_t count;

	while (VEC_PUSH(&v, &a))
		v.at[v.count - 1] = v.count;
	count = v.count;
	CHECK(count > 1000 && a.failed);
	CHECK_EQ(v.at[count - 1], count);
	arena_release(&a);
}

TEST(what_is_adopted_lives_as_long_as_the_rest)
{
	struct arena a = { 0 }, b = { 0 };
	char *small = arena_text(&a, "mine", 4);
	char *other = arena_text(&b, "yours", 5);
	char *large = arena_alloc(&b, 1 << 20);
	size_t mapped = a.mapped + b.mapped;

	memset(large, 7, 1 << 20);
	arena_adopt(&a, &b);
	CHECK(!b.blocks && !b.large && !b.mapped);
	CHECK_EQ(a.mapped, mapped);
	/* The one that was being filled still is. */
	CHECK(arena_alloc(&a, 16) == small + 16);
	CHECK_STR(other, "yours");
	large = arena_resize(&a, large, 1 << 20, 1 << 21);
	CHECK_EQ(large[(1 << 20) - 1], 7);
	arena_free(&a, large, 1 << 21);
	CHECK(a.mapped < mapped);
	arena_release(&b);
	CHECK_STR(other, "yours");
	arena_release(&a);
}

TEST(what_could_not_be_had_is_adopted_too)
{
	struct arena a = { 0 }, b = { .limit = 1 };

	CHECK(!arena_alloc(&b, 16));
	arena_adopt(&a, &b);
	CHECK(a.failed && !b.failed);
	arena_release(&a);
}

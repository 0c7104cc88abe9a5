/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "profile/stack.h"
#include "test.h"

static bool frames_are(const struct stacktab *t, stack_id id,
		       const frame_id *frames, uint32_t count)
{
	frame_id got[64];

	return stack_frames(t, id, got, 64) == count &&
	       stack_depth(t, id) == count &&
	       (!count || !memcmp(got, frames, count * sizeof(*frames)));
}

TEST(equal_stacks_have_equal_ids)
{
	struct arena arena = { 0 };
	struct stacktab t;
	const frame_id leaf_first[] = { 3, 2, 1 };
	const frame_id caller_first[] = { 1, 2, 3 };
	stack_id a;

	stacktab_init(&t, &arena);
	a = stack_add_leaf_first(&t, leaf_first, 3);
	CHECK(a);
	CHECK_EQ(stack_add(&t, 0, caller_first, 3), a);
	CHECK_EQ(stack_add(&t, stack_add(&t, 0, caller_first, 1),
			   caller_first + 1, 2),
		 a);
	CHECK(frames_are(&t, a, leaf_first, 3));
	arena_release(&arena);
}

TEST(the_empty_stack_is_0)
{
	struct arena arena = { 0 };
	struct stacktab t;

	stacktab_init(&t, &arena);
	CHECK_EQ(stack_add_leaf_first(&t, NULL, 0), 0);
	CHECK_EQ(stack_depth(&t, 0), 0);
	arena_release(&arena);
}

TEST(a_split_leaves_old_ids_as_they_were)
{
	struct arena arena = { 0 };
	struct stacktab t;
	const frame_id longer[] = { 9, 8, 7, 6, 5 };
	const frame_id other[] = { 4, 7, 6, 5 };
	const frame_id shorter[] = { 6, 5 };
	stack_id a, b, c;

	stacktab_init(&t, &arena);
	a = stack_add_leaf_first(&t, longer, 5);
	b = stack_add_leaf_first(&t, other, 4);
	c = stack_add_leaf_first(&t, shorter, 2);
	CHECK(frames_are(&t, a, longer, 5));
	CHECK(frames_are(&t, b, other, 4));
	CHECK(frames_are(&t, c, shorter, 2));
	arena_release(&arena);
}

/* Stacks of few different frames, so that they share and split a lot. */
struct many {
	frame_id frames[20000];
	uint32_t ends[2000];
	uint32_t count;
};

static void make_many(struct many *m, unsigned seed)
{
	uint32_t used = 0;

	srand(seed);
	for (m->count = 0; m->count < 2000; m->count++) {
		uint32_t depth = (uint32_t)rand() % 10;

		for (uint32_t i = 0; i < depth; i++)
			m->frames[used++] = (uint32_t)rand() % 3 + 1;
		m->ends[m->count] = used;
	}
}

TEST(many_at_once_are_as_one_by_one)
{
	static struct many m;
	static stack_id ids[2000];

	for (unsigned seed = 1; seed < 20; seed++) {
		struct arena arena = { 0 };
		struct stacktab t;
		uint32_t begin = 0;

		make_many(&m, seed);
		stacktab_init(&t, &arena);
		stack_add_many(&t, m.frames, m.ends, m.count, ids);
		for (uint32_t i = 0; i < m.count; i++) {
			const frame_id *frames = m.frames + begin;
			uint32_t depth = m.ends[i] - begin;

			CHECK(frames_are(&t, ids[i], frames, depth));
			CHECK_EQ(stack_add_leaf_first(&t, frames, depth),
				 ids[i]);
			begin = m.ends[i];
		}
		arena_release(&arena);
	}
}

TEST(no_stacks_at_once_is_nothing)
{
	struct arena arena = { 0 };
	struct stacktab t;

	stacktab_init(&t, &arena);
	stack_add_many(&t, NULL, NULL, 0, NULL);
	CHECK_EQ(t.nodes.count, 1);
	arena_release(&arena);
}

TEST(running_out_of_memory_shows_in_the_arena)
{
	static struct many m;
	static stack_id ids[2000];
	struct arena arena = { .limit = 64 << 10 };
	struct stacktab t;

	make_many(&m, 1);
	for (uint32_t i = 0; i < m.ends[m.count - 1]; i++)
		m.frames[i] = i + 1;
	stacktab_init(&t, &arena);
	stack_add_many(&t, m.frames, m.ends, m.count, ids);
	CHECK(arena.failed);
	arena_release(&arena);
}

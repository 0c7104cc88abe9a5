/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/arena.h"
#include "profile/stackpaths.h"
#include "test.h"

enum { DEPTH = 70 };

/* Stacks that part from each other early and late, in runs of any length. */
static stack_id *make_stacks(struct stacktab *t, uint32_t count,
			     struct arena *arena)
{
	stack_id *ids = ARENA_ARRAY(arena, stack_id, count);
	frame_id frames[DEPTH];

	stacktab_init(t, arena);
	srandom(3);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t depth = (uint32_t)random() % (DEPTH + 1);
		uint32_t wild = (uint32_t)random() % (DEPTH + 1);

		for (uint32_t f = 0; f < depth; f++)
			frames[f] = 1 + (uint32_t)random() % (f > wild ? 1000
							      : f % 3  ? 1
								       : 3);
		ids[i] = stack_add(t, 0, frames, depth);
	}
	return ids;
}

/* In any room, which may be too little. */
static void check_reading(const struct stacktab *t, stack_id id)
{
	frame_id got[DEPTH + 40], want[DEPTH + 2];
	uint32_t depth = stack_frames(t, id, want, DEPTH + 2);

	for (uint32_t room = 0; room <= DEPTH + 40; room += 7) {
		frame_id *end = got + room;

		CHECK_EQ(stack_read(t, id, end, room), depth);
		for (uint32_t f = 0; f < depth && f < room; f++)
			CHECK_EQ(end[-1 - (int)f], want[f]);
	}
}

TEST(a_small_table_is_read_as_it_is)
{
	enum { STACKS = 300 };
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id *ids = make_stacks(&t, STACKS, &arena);

	CHECK_EQ(stack_prepare_reading(&t), 0);
	CHECK(!t.paths->hops);
	stack_warm(&t, ids, STACK_WARM);
	for (uint32_t i = 0; i < STACKS; i++)
		check_reading(&t, ids[i]);
	arena_release(&arena);
}

TEST(a_large_table_is_read_by_paths)
{
	enum { STACKS = 60000 };
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id *ids = make_stacks(&t, STACKS, &arena);

	CHECK_EQ(stack_prepare_reading(&t), 0);
	CHECK(t.paths->hops && t.paths->pool.count > 1000);
	CHECK(t.paths->pool.count <= t.frames.count);
	for (uint32_t i = 0; i < STACKS; i++) {
		if (i % STACK_WARM == 0)
			stack_warm(&t, ids + i, STACK_WARM);
		check_reading(&t, ids[i]);
	}
	arena_release(&arena);
}

/* A path for every part of it would take more than any memory. */
TEST(an_endless_stack_costs_what_it_has_frames)
{
	enum { STACKS = 200000 };
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id id = 0;
	frame_id got[10];

	stacktab_init(&t, &arena);
	for (frame_id i = 1; i <= STACKS; i++) {
		id = stack_add(&t, id, &i, 1);
		stack_add(&t, id, (frame_id[]){ STACKS + 1 }, 1);
	}
	CHECK_EQ(stack_prepare_reading(&t), 0);
	CHECK(t.paths->pool.count <= t.frames.count);
	CHECK_EQ(stack_read(&t, id, got + 10, 10), STACKS);
	for (uint32_t i = 0; i < 10; i++)
		CHECK_EQ(got[i], STACKS - 9 + i);
	arena_release(&arena);
}

TEST(stacks_that_came_later_are_read_too)
{
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id *ids = make_stacks(&t, 60000, &arena);
	stack_id late;

	CHECK_EQ(stack_prepare_reading(&t), 0);
	late = stack_add(&t, ids[7], (frame_id[]){ 77, 78 }, 2);
	CHECK_EQ(stack_prepare_reading(&t), 0);
	check_reading(&t, late);
	arena_release(&arena);
}

TEST(paths_without_memory_say_so)
{
	struct arena arena = { 0 };
	struct stacktab t;

	make_stacks(&t, 60000, &arena);
	arena.limit = 1;
	CHECK(stack_prepare_reading(&t) < 0);
	arena_release(&arena);
}

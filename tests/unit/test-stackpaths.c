/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/arena.h"
#include "hands.h"
#include "profile/stackpaths.h"

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

static void check_written(const struct stacktab *t, stack_id id)
{
	frame_id want[DEPTH + 2];
	uint32_t depth = stack_frames(t, id, want, DEPTH + 2);
	uint32_t got_depth;
	const frame_id *got = stack_written(t, id, &got_depth);

	CHECK_EQ(got_depth, depth);
	CHECK(got || !id);
	for (uint32_t f = 0; f < depth && got; f++)
		CHECK_EQ(got[depth - 1 - f], want[f]);
}

TEST(a_small_table_is_read_as_it_is)
{
	enum { STACKS = 300 };
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id *ids = make_stacks(&t, STACKS, &arena);
	uint32_t depth;

	CHECK_EQ(stack_prepare_reading(&t, ids, STACKS, NULL), 0);
	for (uint32_t i = 0; i < STACKS; i++) {
		CHECK(!stack_written(&t, ids[i], &depth));
		check_reading(&t, ids[i]);
	}
	arena_release(&arena);
}

static void check_order(const struct workers *workers)
{
	enum { STACKS = 60000 };
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id *ids = make_stacks(&t, STACKS, &arena);
	uint32_t last = 0;

	CHECK_EQ(stack_prepare_reading(&t, ids, STACKS, workers), 0);
	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t place = t.paths->place[ids[i]];

		check_written(&t, ids[i]);
		/* Behind the last, unless it came before. */
		CHECK(place <= last ||
		      place == last + 1 + (last ? t.paths->pool.at[last] : 0));
		last = place > last ? place : last;
	}
	CHECK_EQ(last + 1 + t.paths->pool.at[last], t.paths->pool.count);
	for (uint32_t i = 0; i < STACKS; i += 100)
		check_reading(&t, ids[i]);
	arena_release(&arena);
}

TEST(stacks_of_a_large_table_are_written_down_in_order)
{
	const struct workers three = { 3, run_together };
	const struct workers eight = { 8, run_backwards };

	check_order(NULL);
	check_order(&three);
	check_order(&eight);
}

/* Those that nobody reads are not written. */
TEST(only_what_is_read_is_written_down)
{
	enum { STACKS = 60000, FEW = 10 };
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id *ids = make_stacks(&t, STACKS, &arena);

	CHECK_EQ(stack_prepare_reading(&t, ids + 7, FEW, NULL), 0);
	CHECK(t.paths->pool.count <= 1 + FEW * (1 + DEPTH));
	for (uint32_t i = 7; i < 7 + FEW; i++)
		check_written(&t, ids[i]);
	/* More than before are written anew. */
	CHECK_EQ(stack_prepare_reading(&t, ids, STACKS, NULL), 0);
	for (uint32_t i = 0; i < STACKS; i++)
		check_written(&t, ids[i]);
	arena_release(&arena);
}

/* All of it in full would take more than any memory. */
TEST(very_deep_stacks_are_not_written_down)
{
	enum { STACKS = 60000 };
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id *ids = ARENA_ARRAY(&arena, stack_id, 2 * STACKS);
	stack_id id = 0;
	uint32_t depth;
	frame_id got[10];

	stacktab_init(&t, &arena);
	for (frame_id i = 1; i <= STACKS; i++) {
		id = stack_add(&t, id, &i, 1);
		ids[2 * i - 2] = id;
		ids[2 * i - 1] = stack_add(&t, id, (frame_id[]){ STACKS + 1 },
					   1);
	}
	CHECK_EQ(stack_prepare_reading(&t, ids, 2 * STACKS,
				       &(struct workers){ 3, run_together }),
		 0);
	CHECK(t.paths->pool.count <= 4 * t.frames.count);
	CHECK(stack_written(&t, ids[20], &depth));
	CHECK_EQ(depth, 11);
	CHECK(!stack_written(&t, id, &depth));
	CHECK_EQ(stack_read(&t, id, got + 10, 10), STACKS);
	for (uint32_t i = 0; i < 10; i++)
		CHECK_EQ(got[i], STACKS - 9 + i);
	arena_release(&arena);
}

TEST(stacks_that_came_later_are_read_too)
{
	enum { STACKS = 60000 };
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id *ids = make_stacks(&t, STACKS, &arena);

	CHECK_EQ(stack_prepare_reading(&t, ids, STACKS, NULL), 0);
	ids[9] = stack_add(&t, ids[7], (frame_id[]){ 77, 78 }, 2);
	CHECK_EQ(stack_prepare_reading(&t, ids, STACKS, NULL), 0);
	check_written(&t, ids[9]);
	arena_release(&arena);
}

TEST(paths_without_memory_say_so)
{
	enum { STACKS = 60000 };
	struct arena arena = { 0 };
	struct stacktab t;
	stack_id *ids = make_stacks(&t, STACKS, &arena);

	arena.limit = 1;
	CHECK(stack_prepare_reading(&t, ids, STACKS, NULL) < 0);
	arena_release(&arena);
}

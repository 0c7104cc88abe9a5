/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/check.h"
#include "folded.h"
#include "hands.h"
#include "profile/derive.h"
#include "profile/restack.h"
#include "profile/stackpaths.h"
#include "random.h"

static const char text[] = "main;a;b;c 1\nmain;a;x 2\nmain;y;a;b 3\nz 4\n";

/* The set of the locations named in a list "a,b". */
static bool *set_of(const struct profile *p, const char *list)
{
	bool *set = ARENA_ARRAY(p->arena, bool, p->locations.count);

	for (uint32_t i = 1; i < p->locations.count; i++) {
		const char *name = profile_text(p, p->functions.at[i].name);

		set[i] = strchr(list, *name) != NULL;
	}
	return set;
}

/* Backwards: no part may need what another one made. */
static const struct workers several[] = {
	{ 1, run_backwards },
	{ 2, run_backwards },
	{ 3, run_backwards },
	{ 8, run_backwards },
	{ 0 },
};

TEST(hidden_frames_leave_the_stack_and_empty_samples_go)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, text), d;

	for (const struct workers *w = several; w->count; w++) {
		profile_derive(&d, &p, &arena);
		CHECK_EQ(restack_without(&d, set_of(&p, "az"), w), 0);
		CHECK_STR(unfolded(&d), "main;b;c 1\nmain;x 2\nmain;y;b 3\n");
	}
	arena_release(&arena);
}

TEST(show_from_starts_at_the_outermost_match)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, text), d;

	for (const struct workers *w = several; w->count; w++) {
		profile_derive(&d, &p, &arena);
		CHECK_EQ(restack_from(&d, set_of(&p, "ab"), w), 0);
		CHECK_STR(unfolded(&d), "a;b;c 1\na;x 2\na;b 3\n");
	}
	arena_release(&arena);
}

TEST(prune_from_ends_at_the_innermost_match)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, text), d;

	for (const struct workers *w = several; w->count; w++) {
		profile_derive(&d, &p, &arena);
		CHECK_EQ(restack_to(&d, set_of(&p, "ab"), w), 0);
		CHECK_STR(unfolded(&d),
			  "main;a;b 1\nmain;a 2\nmain;y;a;b 3\nz 4\n");
	}
	arena_release(&arena);
}

TEST(pruning_keeps_what_is_before_the_first_frame_of_interest)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, "m;m;u;m;v 1\nm;m 2\nu;n;v 3\n"), d;

	for (const struct workers *w = several; w->count; w++) {
		profile_derive(&d, &p, &arena);
		CHECK_EQ(
			restack_prune(&d, set_of(&p, "m"), set_of(&p, "mn"), w),
			0);
		CHECK_STR(unfolded(&d), "m;m;u 1\nm;m 2\nu;n 3\n");
	}
	arena_release(&arena);
}

TEST(focus_wants_one_and_ignores_none)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, text), d;

	for (const struct workers *w = several; w->count; w++) {
		profile_derive(&d, &p, &arena);
		CHECK_EQ(restack_focus(&d, set_of(&p, "a"), set_of(&p, "y"), w),
			 0);
		CHECK_STR(unfolded(&d), "main;a;b;c 1\nmain;a;x 2\n");
	}
	arena_release(&arena);
}

TEST(the_profile_that_was_filtered_is_as_before)
{
	struct arena arena = { 0 }, scratch = { 0 };
	struct profile p = folded(&arena, text), d;

	profile_derive(&d, &p, &scratch);
	CHECK_EQ(restack_without(&d, set_of(&p, "a"), NULL), 0);
	arena_release(&scratch);
	CHECK_STR(unfolded(&p), text);
	arena_release(&arena);
}

enum {
	FUNCTIONS = 50,
	STACKS = 60000, /* as many as make it worth to write them down */
	DEEPEST = 20,
};

/* In any room, which may be too little. */
static void check_reading(const struct stacktab *t, stack_id id)
{
	frame_id want[DEEPEST], got[DEEPEST];
	uint32_t depth = stack_frames(t, id, want, DEEPEST), written_depth;
	const frame_id *written = stack_written(t, id, &written_depth);

	for (uint32_t room = 0; room <= DEEPEST; room += 4) {
		CHECK_EQ(stack_read(t, id, got + room, room), depth);
		for (uint32_t i = 0; i < depth && i < room; i++)
			CHECK_EQ(got[room - 1 - i], want[i]);
	}
	if (!written)
		return;
	CHECK_EQ(written_depth, depth);
	for (uint32_t i = 0; i < depth; i++)
		CHECK_EQ(written[depth - 1 - i], want[i]);
}

static void check_all(const struct profile *p)
{
	CHECK_EQ(stack_prepare_reading(&p->stacks, p->stack, p->sample_count,
				       NULL),
		 0);
	for (uint32_t i = 0; i < p->sample_count; i++)
		check_reading(&p->stacks, p->stack[i]);
}

static int prune(struct profile *p, const bool *set,
		 const struct workers *workers)
{
	return restack_prune(p, set, set, workers);
}

static int (*const filters[])(struct profile *p, const bool *set,
			      const struct workers *workers) = {
	restack_without,
	restack_from,
	restack_to,
	prune,
};

/* Of which every third function is in the set. */
static struct profile many_stacks(struct arena *arena, bool **ret_set)
{
	struct profile p = folded(arena, text);
	location_id functions[FUNCTIONS];
	uint64_t random = RANDOM_START;

	folded_functions(&p, functions, FUNCTIONS);
	for (unsigned i = 0; i < STACKS; i++) {
		uint32_t depth = 1 + (uint32_t)(random_next(&random) % DEEPEST);
		frame_id frames[DEEPEST];

		for (uint32_t f = 0; f < depth; f++)
			frames[f] = functions[random_next(&random) % FUNCTIONS];
		*profile_add_sample(&p, stack_add(&p.stacks, 0, frames, depth),
				    0) = 1;
	}
	CHECK_EQ(
		stack_prepare_reading(&p.stacks, p.stack, p.sample_count, NULL),
		0);
	*ret_set = ARENA_ARRAY(arena, bool, p.locations.count);
	for (unsigned i = 0; i < FUNCTIONS; i += 3)
		(*ret_set)[functions[i]] = true;
	return p;
}

TEST(what_is_left_of_stacks_is_read_as_they_were_written_down)
{
	struct arena arena = { 0 };
	struct profile d;
	bool *set;
	struct profile p = many_stacks(&arena, &set);

	for (unsigned f = 0; f < ARRAY_SIZE(filters); f++)
		for (const struct workers *w = several; w->count; w++) {
			profile_derive(&d, &p, &arena);
			CHECK_EQ(filters[f](&d, set, w), 0);
			check_all(&d);
			/* Nothing is written down for it. */
			CHECK(d.stacks.paths->place[d.stack[STACKS / 2]]);
			CHECK_EQ(d.stacks.paths->pool.count, 0);
		}
	arena_release(&arena);
}

TEST(what_is_left_of_that_is_read_as_any)
{
	struct arena arena = { 0 };
	struct profile d;
	bool *set;
	struct profile p = many_stacks(&arena, &set);

	for (unsigned f = 0; f < ARRAY_SIZE(filters); f++) {
		profile_derive(&d, &p, &arena);
		CHECK_EQ(filters[f](&d, set, NULL), 0);
		CHECK_EQ(restack_to(&d, set, NULL), 0);
		check_all(&d);
	}
	arena_release(&arena);
}

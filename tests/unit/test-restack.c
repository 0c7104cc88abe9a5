/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "folded.h"
#include "hands.h"
#include "profile/derive.h"
#include "profile/restack.h"

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

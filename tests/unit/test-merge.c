/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "folded.h"
#include "profile/merge.h"
#include "profile/scale.h"

static struct profile merged(struct arena *arena, const struct profile *a,
			     const struct profile *b)
{
	const struct profile *const both[] = { a, b };
	struct profile out;

	CHECK_EQ(profile_init(&out, arena), 0);
	CHECK_EQ(profile_merge(&out, both, 2, NULL), 0);
	return out;
}

TEST(equal_stacks_become_one_sample)
{
	struct arena arena = { 0 };
	struct profile a = folded(&arena, "m;a 1\nm;b 2\n");
	struct profile b = folded(&arena, "m;b 3\nm;c 4\n");
	struct profile out = merged(&arena, &a, &b);

	CHECK_STR(unfolded(&out), "m;a 1\nm;b 5\nm;c 4\n");
	CHECK_EQ(out.mappings.count, 2);
	arena_release(&arena);
}

TEST(a_binary_loaded_elsewhere_is_the_same_binary)
{
	struct arena arena = { 0 };
	struct profile a = folded(&arena, "m;a 1\n");
	struct profile b = folded(&arena, "m;a 2\n");

	b.mappings.at[1].start += 0x5000;
	b.mappings.at[1].limit += 0x5000;
	for (uint32_t i = 1; i < b.locations.count; i++)
		b.locations.at[i].address += 0x5000;
	struct profile out = merged(&arena, &a, &b);

	CHECK_STR(unfolded(&out), "m;a 3\n");
	CHECK_EQ(out.locations.count, 3);
	arena_release(&arena);
}

TEST(what_cancels_out_takes_its_rows_along)
{
	struct arena arena = { 0 };
	struct profile a = folded(&arena, "m;a 1\nm;b 2\n");
	struct profile b = folded(&arena, "m;b -2\n");
	struct profile out = merged(&arena, &a, &b);

	CHECK_STR(unfolded(&out), "m;a 1\n");
	CHECK_EQ(out.functions.count, 3);
	arena_release(&arena);
}

TEST(different_types_can_not_be_merged)
{
	struct arena arena = { 0 };
	struct profile a = folded(&arena, "m 1\n");
	struct profile b = folded(&arena, "m 1\n");
	struct error err;

	b.types.at[0].unit = strtab_add_text(b.strings, "bytes");
	CHECK_EQ(profile_mergeable(&a, &b, &err), -EINVAL);
	CHECK_STR(err.text,
		  "incompatible sample types samples/count and samples/bytes");
	arena_release(&arena);
}

TEST(units_of_a_family_are_made_equal)
{
	struct arena arena = { 0 };
	struct profile a = folded(&arena, "m 2\n");
	struct profile b = folded(&arena, "m 1500\n");
	struct profile *both[] = { &a, &b };

	a.types.at[0].unit = strtab_add_text(a.strings, "ms");
	b.types.at[0].unit = strtab_add_text(b.strings, "us");
	CHECK_EQ(profile_compatible_types(both, 2, NULL), 0);
	CHECK_EQ(a.value[0], 2000);
	CHECK_EQ(b.value[0], 1500);
	CHECK_STR(profile_text(&a, a.types.at[0].unit), "us");
	arena_release(&arena);
}

TEST(scaling_rounds_half_away_from_zero_and_drops_zeros)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, "a 5\nb -5\nc 0\n");
	const double half = 0.5;

	profile_scale(&p, &half);
	CHECK_STR(unfolded(&p), "a 3\nb -3\n");
	arena_release(&arena);
}

TEST(normalizing_makes_totals_equal)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, "a 10\nb 30\n");
	struct profile base = folded(&arena, "a 50\nb 30\n");

	CHECK_EQ(profile_normalize(&p, &base, NULL), 0);
	CHECK_STR(unfolded(&p), "a 20\nb 60\n");
	arena_release(&arena);
}

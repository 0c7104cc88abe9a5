/* SPDX-License-Identifier: MIT */
/* The nodes of what filters leave of locations. */
#include "profile/node.h"

#include <errno.h>

#include "folded.h"
#include "profile/derive.h"

static const struct node_options by_line = {
	.function = true, .file = true, .line = true, .inlines = true
};

static struct arena arena;
static struct profile wide;
static struct nodetab known;

/* a, b, c and a location that has all three, the first innermost. */
static location_id make_wide(void)
{
	struct location all = { .address = 7, .mapping = 1 };

	arena_release(&arena);
	wide = folded(&arena, "a;b;c 1\n");
	all.id = wide.locations.count;
	return profile_add_location(
		&wide, all,
		(const struct line[]){ { .function = 1, .line = 10 },
				       { .function = 2, .line = 20 },
				       { .function = 3, .line = 30 } },
		3);
}

static struct profile derived(void)
{
	struct profile p;

	CHECK_EQ(nodetab_make(&known, &wide, &by_line, &arena), 0);
	profile_derive(&p, &wide, &arena);
	CHECK_EQ(profile_own_locations(&p), 0);
	return p;
}

/* Puts lines behind all others, as a filter does that leaves some. */
static void set_lines(struct profile *p, location_id l,
		      const struct line *lines, uint32_t count)
{
	CHECK(VEC_RESERVE(&p->lines, &arena, count));
	p->locations.at[l].first_line = p->lines.count;
	p->locations.at[l].line_count = count;
	for (uint32_t i = 0; i < count; i++)
		p->lines.at[p->lines.count++] = lines[i];
}

static bool same_info(const struct node_info *a, const struct node_info *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line;
}

/* Whether each location stands for what it would if all were looked up. */
static void check_narrow(const struct profile *p)
{
	struct nodetab narrow, anew;

	CHECK_EQ(nodetab_narrow(&narrow, &known, &wide, p, &arena), 0);
	CHECK_EQ(nodetab_make(&anew, p, &by_line, &arena), 0);
	CHECK(narrow.info.at == known.info.at);
	for (location_id l = 1; l < p->locations.count; l++) {
		uint32_t count = anew.first[l + 1] - anew.first[l];

		CHECK_EQ(narrow.first[l + 1] - narrow.first[l], count);
		for (uint32_t i = 0; i < count; i++) {
			node_id x = narrow.ids.at[narrow.first[l] + i];
			node_id y = anew.ids.at[anew.first[l] + i];

			CHECK(same_info(&narrow.info.at[x], &anew.info.at[y]));
		}
	}
}

TEST(locations_that_lose_nothing_keep_their_nodes)
{
	struct profile p;

	make_wide();
	p = derived();
	check_narrow(&p);
	arena_release(&arena);
}

TEST(lines_that_are_left_keep_their_nodes)
{
	location_id l = make_wide();
	struct line of[3];
	struct profile p;

	for (unsigned i = 0; i < 3; i++)
		of[i] = location_lines(&wide, &wide.locations.at[l])[i];
	for (unsigned left = 1; left < 8; left++) {
		struct line lines[3];
		uint32_t count = 0;

		for (unsigned i = 0; i < 3; i++)
			if (left >> i & 1)
				lines[count++] = of[i];
		p = derived();
		set_lines(&p, l, lines, count);
		check_narrow(&p);
	}
	arena_release(&arena);
}

TEST(a_line_that_was_not_there_is_found_out)
{
	location_id l = make_wide();
	const struct line other = { .function = 2, .line = 21 };
	struct profile p = derived();
	struct nodetab narrow;

	set_lines(&p, l, &other, 1);
	CHECK_EQ(nodetab_narrow(&narrow, &known, &wide, &p, &arena), -ENOENT);
	arena_release(&arena);
}

TEST(a_location_that_was_not_there_is_found_out)
{
	struct profile p;
	struct nodetab narrow;

	make_wide();
	p = derived();
	profile_add_location(&p, (struct location){ .id = 99 }, NULL, 0);
	CHECK_EQ(nodetab_narrow(&narrow, &known, &wide, &p, &arena), -ENOENT);
	arena_release(&arena);
}

TEST(a_location_that_has_lost_all_has_some_node)
{
	location_id l = make_wide();
	struct profile p = derived();
	struct nodetab narrow;

	p.locations.at[l].line_count = 0;
	CHECK_EQ(nodetab_narrow(&narrow, &known, &wide, &p, &arena), 0);
	CHECK(narrow.first[l + 1] > narrow.first[l]);
	arena_release(&arena);
}

/* SPDX-License-Identifier: MIT */
/* The merged call tree: its order, its segments, and where stacks end. */
#include "profile/mergetree.h"

#include <errno.h>
#include <string.h>

#include "base/fmt.h"
#include "folded.h"
#include "profile/order.h"
#include "test.h"

static struct {
	struct arena arena;
	struct profile profile;
	struct nodetab nodes;
	struct mergetree tree;
} x;

/* Merges; ranks are the nodes' numbers, which follow first appearance. */
static int merge(void)
{
	const struct node_options by_function = { .function = true,
						  .inlines = true };
	uint32_t *rank;
	struct mergetree_request q = { .profile = &x.profile,
				       .nodes = &x.nodes };

	CHECK_EQ(nodetab_make(&x.nodes, &x.profile, &by_function, &x.arena), 0);
	rank = ARENA_ARRAY(&x.arena, uint32_t, x.nodes.info.count);
	for (uint32_t i = 0; i < x.nodes.info.count; i++)
		rank[i] = i;
	q.rank = rank;
	q.order = stack_order_of(&x.profile.stacks);
	return mergetree_make(&x.tree, &q, &x.arena);
}

static void start(const char *text)
{
	arena_release(&x.arena);
	x.profile = folded(&x.arena, text);
	CHECK_EQ(merge(), 0);
}

/* Segments in a line: how far up, then the names; "*" is inlined. */
static const char *segments(void)
{
	static char text[1024];
	size_t len = 0;
	uint32_t at = 0;

	text[0] = '\0';
	for (uint32_t s = 0; s < x.tree.up.count; s++) {
		len += fmt_text(text + len, sizeof(text) - len,
				"%s%u:", s ? " " : "", x.tree.up.at[s]);
		for (uint32_t i = 0; i < x.tree.length.at[s]; i++, at++) {
			uint32_t e = x.tree.entries.at[at];
			str_id name = x.nodes.info.at[e & ~MERGED_INLINED].name;

			len += fmt_text(text + len, sizeof(text) - len,
					"%s%s%s", i ? "," : "",
					profile_text(&x.profile, name),
					e & MERGED_INLINED ? "*" : "");
		}
	}
	return text;
}

/* The segment that sample i ends with. */
static uint32_t end_of(uint32_t i)
{
	const struct stack_order *o = stack_order_of(&x.profile.stacks);

	for (uint32_t at = 0; at < o->count; at++)
		if (order_node(o, at) == x.profile.stack[i])
			return x.tree.end[at];
	return UINT32_MAX;
}

TEST(chains_are_joined_and_part_where_stacks_do)
{
	start("a;b;c 1\na;b;d;e 1\n");
	CHECK_STR(segments(), "0:a,b 1:c 2:d,e");
	CHECK_EQ(end_of(0), 2);
	CHECK_EQ(end_of(1), 3);
}

TEST(a_stack_that_ends_within_another_ends_a_segment)
{
	start("a;b;c 1\na;b 1\na 1\n");
	CHECK_STR(segments(), "0:a 1:b 1:c");
	CHECK_EQ(end_of(2), 1);
	CHECK_EQ(end_of(1), 2);
	CHECK_EQ(end_of(0), 3);
}

TEST(children_stand_in_the_order_of_their_ranks)
{
	start("z;m 1\na;b 1\nz;k 1\n");
	CHECK_STR(segments(), "0:z 1:m 2:k 0:a,b");
}

TEST(an_empty_profile_has_an_empty_tree)
{
	start("");
	CHECK_EQ(x.tree.up.count, 0);
	CHECK_EQ(x.tree.entries.count, 0);
}

TEST(an_empty_stack_ends_nowhere)
{
	arena_release(&x.arena);
	x.profile = folded(&x.arena, "a;b 1\n");
	*profile_add_sample(&x.profile, 0, 0) = 5;
	CHECK_EQ(merge(), 0);
	CHECK_STR(segments(), "0:a,b");
	CHECK_EQ(end_of(1), 0);
}

/* Another location of the function that l is of. */
static location_id twin(location_id l)
{
	struct location copy = x.profile.locations.at[l];

	copy.id = x.profile.locations.count;
	copy.address++;
	return profile_add_location(&x.profile, copy,
				    location_lines(&x.profile, &copy), 1);
}

TEST(places_of_one_function_are_one_entry)
{
	frame_id frames[2];

	arena_release(&x.arena);
	x.profile = folded(&x.arena, "a;b;c 1\n");
	frames[0] = twin(1);
	frames[1] = twin(2);
	*profile_add_sample(&x.profile,
			    stack_add(&x.profile.stacks, 0, frames, 2), 0) = 1;
	CHECK_EQ(merge(), 0);
	CHECK_STR(segments(), "0:a,b 1:c");
	CHECK_EQ(end_of(0), 2);
	CHECK_EQ(end_of(1), 1);
}

TEST(inlined_calls_are_entries_and_marked)
{
	struct line lines[2] = { { .function = 2, .line = 1 },
				 { .function = 1, .line = 2 } };
	frame_id frame;

	arena_release(&x.arena);
	x.profile = folded(&x.arena, "a;b 1\n");
	frame = profile_add_location(
		&x.profile,
		(struct location){ .id = 9, .address = 9, .mapping = 1 }, lines,
		2);
	x.profile.sample_count = 0;
	*profile_add_sample(&x.profile,
			    stack_add(&x.profile.stacks, 0, &frame, 1), 0) = 1;
	CHECK_EQ(merge(), 0);
	CHECK_STR(segments(), "0:a,b*");
}

TEST(many_brothers_are_put_in_order)
{
	char text[4096];
	size_t len = 0;
	uint32_t last = 0;

	for (int i = 60; i > 0; i--)
		len += fmt_text(text + len, sizeof(text) - len, "m;f%d 1\n",
				i * 37 % 61);
	start(text);
	CHECK_EQ(x.tree.up.count, 61);
	for (uint32_t i = 1; i < x.tree.entries.count; i++) {
		CHECK(x.tree.entries.at[i] > last);
		last = x.tree.entries.at[i];
	}
}

TEST(more_entries_than_fit_are_refused)
{
	enum { LINES = 1 << 16, FRAMES = 2048 };
	struct line *lines;
	frame_id *frames;
	location_id l;

	arena_release(&x.arena);
	x.profile = folded(&x.arena, "a 1\n");
	lines = ARENA_ARRAY(&x.arena, struct line, LINES);
	frames = ARENA_ARRAY(&x.arena, frame_id, FRAMES);
	for (uint32_t i = 0; i < LINES; i++)
		lines[i].function = 1;
	l = profile_add_location(
		&x.profile,
		(struct location){ .id = 9, .address = 9, .mapping = 1 }, lines,
		LINES);
	for (uint32_t i = 0; i < FRAMES; i++)
		frames[i] = l;
	*profile_add_sample(&x.profile,
			    stack_add(&x.profile.stacks, 0, frames, FRAMES),
			    0) = 1;
	CHECK_EQ(merge(), -EFBIG);
}

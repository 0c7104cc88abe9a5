/* SPDX-License-Identifier: MIT */
/* The boxes of flame graphs: where they are, how wide, and what is merged. */
#include "profile/boxtree.h"

#include <math.h>
#include <string.h>

#include "base/fmt.h"
#include "folded.h"
#include "profile/order.h"
#include "test.h"

static struct {
	struct arena arena;
	struct profile profile;
	struct nodetab nodes;
	struct boxtree tree;
	struct boxtree_request q;
} x;

/* A request for everything in the profile; nodes stand in their order. */
static void ask(const char *text)
{
	const struct node_options by_function = { .function = true,
						  .inlines = true };
	uint32_t *rank, *cost;

	arena_release(&x.arena);
	x.profile = folded(&x.arena, text);
	CHECK_EQ(nodetab_make(&x.nodes, &x.profile, &by_function, &x.arena), 0);
	rank = ARENA_ARRAY(&x.arena, uint32_t, x.nodes.info.count);
	cost = ARENA_ARRAY(&x.arena, uint32_t, x.nodes.info.count);
	for (uint32_t i = 0; i < x.nodes.info.count; i++) {
		rank[i] = i;
		cost[i] = 1;
	}
	x.q = (struct boxtree_request){
		.profile = &x.profile,
		.nodes = &x.nodes,
		.order = stack_order_of(&x.profile.stacks),
		.sides = 1,
		.rank = rank,
		.cost = cost,
		.budget = 1000000,
	};
}

static void grow(void)
{
	CHECK_EQ(boxtree_make(&x.tree, &x.q, &x.arena), 0);
}

/* The boxes in a line: depth, name, start, value and self of each. */
static const char *boxes(void)
{
	static char text[2048];
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < x.tree.boxes.count; i++) {
		const struct box *b = &x.tree.boxes.at[i];
		const char *name = b->merged ? "+" : "all";

		if (b->node)
			name = profile_text(&x.profile,
					    x.nodes.info.at[b->node].name);
		len += fmt_text(text + len, sizeof(text) - len,
				"%s%u%s %d %d %d", i ? "; " : "", b->depth,
				name, (int)b->start, (int)b->value[0],
				(int)b->self[0]);
	}
	return text;
}

/* What must hold of any tree. */
static void check_sums(void)
{
	for (uint32_t i = 0; i < x.tree.boxes.count; i++) {
		const struct box *b = &x.tree.boxes.at[i];
		double right = b->start;

		for (uint32_t j = i + 1; j < x.tree.boxes.count; j++) {
			const struct box *c = &x.tree.boxes.at[j];

			if (c->parent != i)
				continue;
			CHECK_EQ(c->depth, b->depth + 1);
			CHECK(fabs(c->start - right) < 1e-6);
			right += c->value[x.q.sides - 1];
		}
		CHECK(right <= b->start + b->value[x.q.sides - 1] + 1e-6);
		CHECK(b->value[x.q.sides - 1] >= x.tree.least || i == 0);
	}
}

TEST(a_box_is_as_wide_as_what_it_and_its_callees_took)
{
	ask("main;read 3\nmain;parse;read 4\nmain;parse 1\n");
	grow();
	CHECK_STR(
		boxes(),
		"0all 0 8 0; 1main 0 8 0; 2read 0 3 3; 2parse 3 5 1; 3read 3 4 4");
	check_sums();
	CHECK(!x.tree.merged);
}

TEST(recursion_is_drawn_as_it_is)
{
	ask("f;f;f 2\nf;f 1\n");
	grow();
	CHECK_STR(boxes(), "0all 0 3 0; 1f 0 3 0; 2f 0 3 1; 3f 0 2 2");
}

TEST(reversed_it_begins_with_what_ran)
{
	ask("main;read 3\nmain;parse;read 4\nmain;parse 1\n");
	x.q.reverse = true;
	grow();
	CHECK_STR(boxes(),
		  "0all 0 8 0; 1read 0 7 0; 2main 0 3 3; 2parse 3 4 0; "
		  "3main 3 4 4; 1parse 7 1 0; 2main 7 1 1");
	check_sums();
}

TEST(brothers_stand_in_the_order_of_their_ranks)
{
	uint32_t *rank;

	ask("a 1\nb 2\nc 3\n");
	rank = (uint32_t *)x.q.rank;
	for (uint32_t i = 0; i < x.nodes.info.count; i++)
		rank[i] = x.nodes.info.count - i;
	grow();
	CHECK_STR(boxes(), "0all 0 6 0; 1c 0 3 3; 1b 3 2 2; 1a 5 1 1");
}

TEST(small_brothers_are_merged_into_one_at_the_right)
{
	ask("a;p 1\nb 50\nc 1\nd;q 40\nd;r 1\n");
	x.q.least_share = 0.02;
	grow();
	CHECK_STR(
		boxes(),
		"0all 0 93 0; 1b 0 50 50; 1d 50 41 0; 2q 50 40 40; 1+ 91 2 2");
	CHECK_EQ(x.tree.boxes.at[4].merged, 2);
	CHECK(x.tree.merged);
	check_sums();
}

TEST(small_ones_together_too_small_are_left_out)
{
	ask("a 1\nb 1000\n");
	x.q.least_share = 0.01;
	grow();
	CHECK_STR(boxes(), "0all 0 1001 0; 1b 0 1000 1000");
	CHECK(x.tree.merged);
}

TEST(two_places_in_one_function_are_one_box)
{
	location_id second;

	ask("main;read 3\nmain;parse 4\n");
	second = x.profile.locations.at[3].first_line;
	x.profile.lines.at[second].function =
		x.profile.lines.at[x.profile.locations.at[2].first_line]
			.function;
	CHECK_EQ(nodetab_make(&x.nodes, &x.profile,
			      &(struct node_options){ .function = true,
						      .inlines = true },
			      &x.arena),
		 0);
	grow();
	CHECK_STR(boxes(), "0all 0 7 0; 1main 0 7 0; 2read 0 7 7");
}

TEST(negative_values_take_no_room)
{
	ask("a;b 5\na;c -3\nd -1\n");
	grow();
	CHECK_STR(boxes(), "0all 0 5 0; 1a 0 5 0; 2b 0 5 5");
}

TEST(samples_without_a_stack_are_the_roots_own)
{
	ask("a 5\nb 2\n");
	x.profile.stack[1] = 0;
	grow();
	CHECK_STR(boxes(), "0all 0 7 2; 1a 0 5 5");
}

TEST(sums_beyond_64_bits_keep_their_proportions)
{
	ask("a;b 9223372036854775807\na;c 9223372036854775807\n");
	grow();
	CHECK_EQ(x.tree.boxes.count, 4);
	check_sums();
}

TEST(over_the_budget_the_smallest_are_merged)
{
	char text[4000] = "";
	size_t len = 0;

	for (int i = 1; i <= 60; i++)
		len += fmt_text(text + len, sizeof(text) - len, "m%d;n%d %d\n",
				i, i, i);
	ask(text);
	x.q.budget = 41;
	grow();
	check_sums();
	CHECK(x.tree.boxes.count <= 41);
	CHECK(x.tree.boxes.count > 25);
	CHECK(x.tree.boxes.at[x.tree.boxes.count - 1].merged);
}

TEST(stacks_too_deep_for_a_picture_are_cut)
{
	frame_id frames[5000];

	ask("a 1\n");
	for (int i = 0; i < 5000; i++)
		frames[i] = 1;
	x.profile.stack[0] = stack_add(&x.profile.stacks, 0, frames, 5000);
	x.q.order = stack_order_of(&x.profile.stacks);
	grow();
	CHECK(x.tree.cut);
	CHECK(x.tree.depth < 5000);
	CHECK(x.tree.boxes.count > 1000);
	x.q.budget = 300;
	grow();
	CHECK(x.tree.boxes.count <= 300);
	CHECK(x.tree.boxes.count > 100);
}

TEST(with_two_sides_the_second_decides_the_widths)
{
	struct profile *p = &x.profile;
	int64_t values[] = { 10, 1, 0, 9, 5, 0 };

	ask("a;b 1\na;c 1\nd 1\n");
	(void)VEC_PUSH(&p->types, &x.arena);
	p->value = values;
	x.q.sides = 2;
	x.q.type[1] = 1;
	grow();
	CHECK_EQ(x.tree.boxes.count, 4);
	CHECK(x.tree.boxes.at[0].value[0] == 15);
	CHECK(x.tree.boxes.at[0].value[1] == 10);
	CHECK(x.tree.boxes.at[2].value[0] == 10);
	CHECK(x.tree.boxes.at[2].value[1] == 1);
	CHECK(x.tree.boxes.at[3].value[0] == 0);
	CHECK(x.tree.boxes.at[3].value[1] == 9);
	check_sums();
}

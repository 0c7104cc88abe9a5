/* SPDX-License-Identifier: MIT */
/* Which functions of a listed call tree are the same, and how they are told
 * apart: as in one that is made. */
#include "report/treekin.h"

#include <errno.h>

#include "profile/runtree.h"
#include "report/namesakes.h"
#include "tree_fixture.h"

static struct tree_fixture x;
static struct namesakes namesakes;
static struct treelist list;
static struct treekin kin;

static void make(void)
{
	tree_fixture_make(&x, true);
	CHECK_EQ(namesakes_find(&namesakes, &x.made, &x.arena), 0);
}

static int list_tree(void)
{
	struct treelist_kin wanted = { .ranks = x.made.ranks,
				       .nodes = x.nodes.info.count };
	struct runtree runs;

	CHECK_EQ(treekin_make(&kin, &x.nodes, &x.arena), 0);
	wanted.of = kin.family;
	wanted.kinds = kin.families.count;
	CHECK_EQ(runtree_make(&runs, &x.q, &x.arena), 0);
	CHECK_EQ(treelist_make(&list, &runs, &wanted, NULL, &x.arena), 0);
	return treekin_count(&kin, &list, runs.count, &x.arena);
}

/* The callees of each node of the list: rank and number of functions. */
static const char *listed_ranks(void)
{
	static char text[1024];
	struct treelist_cursor c = treelist_seek(&list, 0);
	size_t len = 0;

	text[0] = '\0';
	for (; c.place < treelist_count(&list); treelist_step(&list, &c)) {
		struct tree_call row;
		uint32_t count;
		const struct tree_call *call = treelist_calls(&list, c, &row,
							      &count);

		for (; count--; call++) {
			uint32_t family = kin.family[call->callee];
			uint32_t turn = treelist_turn(
				&list, call->place, list.to_turn[call->callee]);

			len += fmt_text(text + len, sizeof(text) - len,
					" %u/%u",
					treekin_rank(&kin, family, turn),
					kin.families.at[family].count);
		}
		len += fmt_text(text + len, sizeof(text) - len, ",");
	}
	return text;
}

static const char *made_ranks(void)
{
	static char text[1024];
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < x.made.shown_count; i++) {
		struct edge_list out = edges_out(&x.made, x.made.shown[i]);

		for (uint32_t k = 0; k < out.count; k++) {
			uint32_t to = x.made.graph.edges.at[out.at[k]].to;

			len += fmt_text(
				text + len, sizeof(text) - len, " %u/%u",
				namesakes.rank[to],
				namesakes_family(&namesakes, &x.made, to)
					->count);
		}
		len += fmt_text(text + len, sizeof(text) - len, ",");
	}
	return text;
}

TEST(a_function_is_one_for_each_caller)
{
	tree_fixture_start(&x, "a;c;d 1\nb;c 2\nc;d 4\n");
	make();
	CHECK_EQ(list_tree(), 0);
	CHECK_STR(listed_ranks(), made_ranks());
}

TEST(places_of_a_function_that_one_caller_calls_are_one)
{
	tree_fixture_start(&x,
			   "a;b 3\na;c 2\na;d 5\ne;c 1\ne;b;d 7\na;d;b 1\n");
	tree_fixture_join(&x, 3, 2); /* c is b */
	tree_fixture_join(&x, 4, 2); /* so is d */
	make();
	CHECK_EQ(list_tree(), 0);
	CHECK_STR(listed_ranks(), made_ranks());
}

TEST(functions_that_start_at_different_lines_are_not)
{
	tree_fixture_start(&x,
			   "a;b 3\na;c 2\na;d 5\ne;c 1\ne;b;d 7\na;d;b 1\n");
	tree_fixture_join(&x, 3, 2);
	tree_fixture_join(&x, 4, 2);
	x.profile.functions.at[3].start_line = 1;
	x.profile.functions.at[4].start_line = 2;
	make();
	CHECK_EQ(list_tree(), 0);
	CHECK_STR(listed_ranks(), made_ranks());
}

TEST(lines_and_callers_do_not_make_up_for_each_other)
{
	for (int64_t line = 1; line < 16; line++) {
		tree_fixture_start(&x, "m;p;b 1\nm;q;c 2\n");
		tree_fixture_join(&x, 5, 3); /* c is b, but starts elsewhere */
		x.profile.functions.at[5].start_line = line;
		make();
		CHECK_EQ(list_tree(), 0);
		CHECK_STR(made_ranks(), ",, 1/2, 2/2, 1/1 1/1,");
		CHECK_STR(listed_ranks(), made_ranks());
	}
}

TEST(families_that_would_read_the_same_are_refused)
{
	tree_fixture_start(&x, "a;b 3\nc;b 2\na;d 5\nc;d 1\n");
	x.profile.functions.at[4].name = x.profile.functions.at[2].name;
	make();
	CHECK_EQ(list_tree(), -ENOTSUP);
}

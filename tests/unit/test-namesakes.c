/* SPDX-License-Identifier: MIT */
/* Which functions of the same name are told apart, and how. */
#include "report/namesakes.h"

#include <string.h>

#include "folded.h"
#include "profile/order.h"

static struct {
	struct arena arena;
	struct profile profile;
	struct nodetab nodes;
	struct graph_request q;
	struct trimmed trimmed;
	struct namesakes namesakes;
} x;

static void make(const char *text, bool tree)
{
	const struct node_options by_function = { .function = true,
						  .file = true,
						  .inlines = true };
	const struct trim_options options = { .tree = tree, .edges = true };

	arena_release(&x.arena);
	x.profile = folded(&x.arena, text);
	CHECK_EQ(nodetab_make(&x.nodes, &x.profile, &by_function, &x.arena), 0);
	x.q = (struct graph_request){
		.profile = &x.profile,
		.nodes = &x.nodes,
		.order = stack_order_of(&x.profile.stacks),
	};
	CHECK_EQ(trim(&x.trimmed, &x.q, &options, &x.arena), 0);
	CHECK_EQ(namesakes_find(&x.namesakes, &x.trimmed, &x.arena), 0);
}

static const struct family *family_of(uint32_t node)
{
	node_id info = x.trimmed.graph.nodes.at[node].info;

	return &x.namesakes.families.at[x.namesakes.family[info]];
}

/* The nodes in the order they are shown: name, rank and number of functions. */
static const char *ranks(void)
{
	static char text[1024];
	size_t len = 0;

	for (uint32_t i = 0; i < x.trimmed.shown_count; i++) {
		uint32_t node = x.trimmed.shown[i];
		const struct family *f = family_of(node);

		len += fmt_text(text + len, sizeof(text) - len, "%s%s %u/%u",
				i ? ", " : "",
				profile_text(&x.profile, f->name),
				x.namesakes.rank[node], f->count);
	}
	return text;
}

TEST(in_a_graph_a_name_and_file_are_one_function)
{
	make("main;a;b 4\nmain;b 2\n", false);
	CHECK_STR(ranks(), "b 1/1, a 1/1, main 1/1");
}

TEST(in_a_tree_each_caller_has_its_own)
{
	make("main;a;b 4\nmain;c;b 3\nmain;b 2\n", true);
	CHECK_STR(ranks(), "b 1/3, b 2/3, b 3/3, a 1/1, c 1/1, main 1/1");
}

TEST(texts_that_read_the_same_are_one)
{
	const struct family *a, *b, *c;

	/* b and c become one name in two files, a is as many. */
	make("m;a 9\nm;n;a 8\nm;b 7\nm;n;b 6\nm;c 5\nm;n;c 4\n", true);
	for (uint32_t i = 1; i < x.profile.functions.count; i++) {
		struct function *f = &x.profile.functions.at[i];

		if (!strcmp(profile_text(&x.profile, f->name), "c"))
			f->name = strtab_add_text(x.profile.strings, "b");
	}
	CHECK_EQ(nodetab_make(&x.nodes, &x.profile,
			      &(struct node_options){ .function = true,
						      .file = true },
			      &x.arena),
		 0);
	CHECK_EQ(namesakes_find(&x.namesakes, &x.trimmed, &x.arena), 0);
	CHECK_STR(ranks(), "a 1/2, a 2/2, b 1/2, b 2/2, b 1/2, b 2/2, m 1/1, "
			   "n 1/1");
	a = family_of(x.trimmed.shown[0]);
	b = family_of(x.trimmed.shown[2]);
	c = family_of(x.trimmed.shown[4]);
	CHECK(b != c);
	CHECK_EQ(b->series, c->series);
	CHECK(a->series != b->series);
	CHECK_EQ(x.namesakes.texts, 1 + 4);
}

/* SPDX-License-Identifier: MIT */
/* Names are numbered as who reads them in order expects it. */
#include "report/callnames.h"

#include <string.h>

#include "folded.h"
#include "profile/node.h"
#include "profile/order.h"
#include "profile/trim.h"

/* A graph with its names, of a profile by function. */
struct named {
	struct arena arena;
	struct profile p;
	struct nodetab nodes;
	struct graph_request request;
	struct trimmed t;
	struct call_names n;
};

static void make(struct named *x, const char *stacks, bool tree)
{
	const struct node_options by = {
		.function = true, .file = true, .address = true, .inlines = true
	};
	const struct trim_options options = { .tree = tree,
					      .edges = true,
					      .callees_only = true };

	*x = (struct named){ 0 };
	x->p = folded(&x->arena, stacks);
	CHECK_EQ(nodetab_make(&x->nodes, &x->p, &by, &x->arena), 0);
	x->request = (struct graph_request){
		.profile = &x->p,
		.nodes = &x->nodes,
		.order = stack_order_of(&x->p.stacks),
	};
	CHECK_EQ(trim(&x->t, &x->request, &options, &x->arena), 0);
	CHECK_EQ(call_names_make(&x->n, &x->t, &x->arena), 0);
}

/* How many names of a kind have been read. */
static void read_name(uint32_t *known, uint32_t number, bool full)
{
	if (full)
		CHECK_EQ(number, ++*known);
	else
		CHECK(number <= *known);
}

static void read_in_order(const struct named *x)
{
	const struct call_names *n = &x->n;
	uint32_t files = 0, names = 0;

	for (uint32_t i = 0; i < x->t.shown_count; i++) {
		uint32_t node = x->t.shown[i];
		const struct node_info *info = trimmed_info(&x->t, node);
		uint32_t end = x->t.out.first[node + 1];
		uint8_t full = n->entry_full[i];

		read_name(&files, n->files.number[info->file],
			  full & FULL_FILE);
		read_name(&names, n->names.number[info->name],
			  full & FULL_NAME);
		for (uint32_t e = x->t.out.first[node]; e < end; e++) {
			uint32_t to = x->t.graph.edges.at[x->t.out.ids[e]].to;

			full = n->call_full[e];
			read_name(&files, n->callees[to].file,
				  full & FULL_FILE);
			read_name(&names, n->callees[to].name,
				  full & FULL_NAME);
		}
	}
	CHECK_EQ(files, n->files.count);
	CHECK_EQ(names, n->names.count);
}

static const char stacks[] = "main;a;b;c 5\n"
			     "main;b;a 4\n"
			     "main;d;e;f;a 7\n"
			     "start;f;e;d 3\n"
			     "start;a;c;c;g 9\n";

TEST(the_first_to_mention_a_name_writes_it)
{
	struct named x;

	make(&x, stacks, false);
	read_in_order(&x);
	CHECK_EQ(x.n.files.count, 9);
	CHECK_EQ(x.n.names.count, 9);
	CHECK_EQ(x.n.objects.count, 0);
	arena_release(&x.arena);
}

/* As many names as there are ways to get there. */
TEST(namesakes_of_a_tree_have_numbers_of_their_own)
{
	struct named x;
	bool taken[64] = { 0 };
	unsigned found = 0;

	make(&x, stacks, true);
	read_in_order(&x);
	CHECK(x.n.names.count < 64);
	for (uint32_t i = 0; i < x.t.shown_count; i++) {
		uint32_t node = x.t.shown[i];
		const struct family *f = namesakes_family(&x.n.namesakes, &x.t,
							  node);

		if (strcmp(str_text(x.p.strings, f->name), "a"))
			continue;
		CHECK_EQ(f->count, 4);
		CHECK(!taken[x.n.callees[node].name]);
		taken[x.n.callees[node].name] = true;
		found++;
	}
	CHECK_EQ(found, 4);
	CHECK_EQ(x.n.files.count, 9);
	arena_release(&x.arena);
}

TEST(nothing_shown_has_no_names)
{
	struct named x;

	make(&x, "main;a 0\n", false);
	CHECK_EQ(x.t.shown_count, 0);
	CHECK_EQ(x.n.names.count, 0);
	arena_release(&x.arena);
}

TEST(a_callee_that_is_no_entry_has_a_place_but_no_name)
{
	struct named x;
	struct callee *callee;
	uint32_t node = 1;

	/* b spends 1 and -1, which is nothing to show. */
	make(&x, "a;b;c 1\na;b;d -1\na 5\n", false);
	while (strcmp(profile_text(&x.p, x.nodes.info.at[node].name), "b") != 0)
		node++;
	x.nodes.info.at[node].address = 77;
	x.nodes.info.at[node].line = 8;
	x.n = (struct call_names){ 0 };
	CHECK_EQ(call_names_make(&x.n, &x.t, &x.arena), 0);
	read_in_order(&x);
	CHECK_EQ(x.t.shown_count, 3);
	callee = &x.n.callees[node];
	CHECK_EQ(callee->address, 77);
	CHECK_EQ(callee->line, 8);
	CHECK(callee->file != 0);
	CHECK_EQ(callee->name, 0);
	arena_release(&x.arena);
}

/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "folded.h"
#include "hands.h"
#include "profile/graph.h"
#include "profile/graph_order.h"
#include "profile/order.h"
#include "profile/trim.h"
#include "random.h"

/* A graph of p by function, everything in arena. */
struct subject {
	struct profile p;
	struct nodetab nodes;
	struct stack_order order;
	struct graph_request q;
};

static struct subject *subject(struct arena *arena, const char *text)
{
	struct subject *s = ARENA_NEW(arena, struct subject);
	const struct node_options by_name = { .function = true,
					      .inlines = true };

	s->p = folded(arena, text);
	CHECK_EQ(nodetab_make(&s->nodes, &s->p, &by_name, arena), 0);
	CHECK_EQ(stack_order_make(&s->order, &s->p.stacks, arena), 0);
	s->q = (struct graph_request){ .profile = &s->p,
				       .nodes = &s->nodes,
				       .order = &s->order };
	return s;
}

static uint32_t node_called(const struct subject *s, const char *name)
{
	for (uint32_t i = 1; i < s->nodes.info.count; i++)
		if (!strcmp(profile_text(&s->p, s->nodes.info.at[i].name),
			    name))
			return i;
	test_fail(__FILE__, __LINE__, "no node is called %s", name);
	return 0;
}

static const struct graph_edge *edge_between(const struct subject *s,
					     const struct graph *g,
					     const char *from, const char *to)
{
	for (uint32_t i = 0; i < g->edges.count; i++)
		if (g->edges.at[i].from == node_called(s, from) &&
		    g->edges.at[i].to == node_called(s, to))
			return &g->edges.at[i];
	return NULL;
}

TEST(flat_is_the_leafs_and_cum_everybodys)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, "main;a;b 3\nmain;a 4\nmain;c 5\n");
	struct graph g;

	CHECK_EQ(graph_make(&g, &s->q, &arena), 0);
	CHECK_EQ(g.nodes.at[node_called(s, "main")].flat, 0);
	CHECK_EQ(g.nodes.at[node_called(s, "main")].cum, 12);
	CHECK_EQ(g.nodes.at[node_called(s, "a")].flat, 4);
	CHECK_EQ(g.nodes.at[node_called(s, "a")].cum, 7);
	CHECK_EQ(g.nodes.at[node_called(s, "b")].flat, 3);
	CHECK_EQ(edge_between(s, &g, "main", "a")->weight, 7);
	CHECK_EQ(edge_between(s, &g, "a", "b")->weight, 3);
	CHECK(!edge_between(s, &g, "main", "b"));
	arena_release(&arena);
}

TEST(recursion_counts_once)
{
	struct arena arena = { 0 };
	struct subject *s = subject(
		&arena, "main;f;g;f;g 3\nmain;f;f;f 4\nf;g;f;g;f;h 5\n");
	struct graph g;

	CHECK_EQ(graph_make(&g, &s->q, &arena), 0);
	CHECK_EQ(g.nodes.at[node_called(s, "f")].cum, 12);
	CHECK_EQ(g.nodes.at[node_called(s, "f")].flat, 4);
	CHECK_EQ(g.nodes.at[node_called(s, "g")].cum, 8);
	CHECK_EQ(edge_between(s, &g, "f", "g")->weight, 8);
	CHECK_EQ(edge_between(s, &g, "g", "f")->weight, 8);
	CHECK(!edge_between(s, &g, "f", "f"));
	arena_release(&arena);
}

TEST(a_node_left_out_joins_its_neighbours)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, "main;a;b 3\nmain;b 4\n");
	bool kept[8] = { false };
	struct graph g;

	kept[node_called(s, "main")] = true;
	kept[node_called(s, "b")] = true;
	s->q.kept = kept;
	CHECK_EQ(graph_make(&g, &s->q, &arena), 0);
	CHECK_EQ(edge_between(s, &g, "main", "b")->weight, 7);
	CHECK(edge_between(s, &g, "main", "b")->residual);
	CHECK_EQ(g.nodes.at[node_called(s, "a")].cum, 0);
	arena_release(&arena);
}

TEST(the_walk_equals_adding_up_sample_by_sample)
{
	/* Many stacks over few functions, so that everything recurs. */
	char text[16384];
	size_t len = 0;
	uint64_t cum[6] = { 0 }, flat[6] = { 0 };
	uint64_t random = RANDOM_START;
	struct arena arena = { 0 };
	struct graph g;

	for (int i = 0; i < 400; i++) {
		unsigned depth, last = 0, seen = 0;

		random_next(&random);
		depth = 1 + random % 8;
		for (unsigned d = 0; d < depth; d++) {
			last = (unsigned)(random >> (8 + 4 * d)) % 6;
			len += fmt_text(text + len, sizeof(text) - len, "%sf%u",
					d ? ";" : "", last);
			seen |= 1u << last;
		}
		len += fmt_text(text + len, sizeof(text) - len, " %d\n",
				i % 7 - 3);
		flat[last] += (uint64_t)(i % 7 - 3);
		for (unsigned f = 0; f < 6; f++)
			cum[f] += seen >> f & 1 ? (uint64_t)(i % 7 - 3) : 0;
	}
	struct subject *s = subject(&arena, text);

	CHECK_EQ(graph_make(&g, &s->q, &arena), 0);
	for (unsigned f = 0; f < 6; f++) {
		char name[4];

		fmt_text(name, sizeof(name), "f%u", f);
		CHECK_EQ(g.nodes.at[node_called(s, name)].cum, (int64_t)cum[f]);
		CHECK_EQ(g.nodes.at[node_called(s, name)].flat,
			 (int64_t)flat[f]);
	}
	arena_release(&arena);
}

static void check_same_nodes(const struct graph *a, const struct graph *b)
{
	CHECK_EQ(a->nodes.count, b->nodes.count);
	CHECK_EQ(memcmp(a->nodes.at, b->nodes.at,
			a->nodes.count * sizeof(*a->nodes.at)),
		 0);
}

static void check_same_edges(const struct graph *a, const struct graph *b)
{
	CHECK_EQ(a->edges.count, b->edges.count);
	CHECK_EQ(memcmp(a->edges.at, b->edges.at,
			a->edges.count * sizeof(*a->edges.at)),
		 0);
}

TEST(parts_of_a_walk_add_up_to_the_whole)
{
	const struct workers three = { 3, run_backwards };
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, "m;a;b;a;c 3\nm;a;b;d;a 4\n"
					    "m;a;b;d;b;e 5\nm;a;c;b;a;b 6\n"
					    "m;f;a;b 7\nm;f;g;f;a 8\nz;a;b 9\n"
					    "m;a;b;d;b;a 2\nm;f;g;f;b 1\n");
	bool kept[16] = { false };
	struct graph one, many;

	for (int round = 0; round < 2; round++) {
		s->q.workers = NULL;
		CHECK_EQ(graph_make(&one, &s->q, &arena), 0);
		s->q.workers = &three;
		CHECK_EQ(graph_make(&many, &s->q, &arena), 0);
		check_same_nodes(&one, &many);
		check_same_edges(&one, &many);
		/* Again, with nodes left out. */
		for (uint32_t i = 1; i < s->nodes.info.count; i += 2)
			kept[i] = true;
		s->q.kept = kept;
	}
	arena_release(&arena);
}

/* Deep stacks over few functions; some recur far apart, some next to it. */
static char *deep_stacks(struct arena *arena)
{
	enum { STACKS = 60, SIZE = 1 << 20 };
	char *text = arena_alloc(arena, SIZE);
	uint64_t random = RANDOM_START;
	size_t len = 0;

	for (unsigned i = 0; i < STACKS; i++) {
		unsigned depth = 1 + i * i % 900;

		for (unsigned d = 0; d < depth; d++) {
			/* All begin alike, and then go their own ways. */
			unsigned seed = d < depth / 2 ? d * 7
						      : (unsigned)random;

			random_next(&random);
			len += fmt_text(text + len, SIZE - len, "%sf%u",
					d ? ";" : "", seed % 37 % (1 + d / 9));
		}
		len += fmt_text(text + len, SIZE - len, " %u\n", 1 + i);
	}
	return text;
}

/* From one to five nodes for each location, some of them twice. */
static void inline_some(struct subject *s, struct arena *arena)
{
	uint32_t locations = s->p.locations.count;
	uint32_t nodes = s->nodes.info.count - 1;
	struct nodetab *t = &s->nodes;

	t->ids.count = 0;
	t->first = ARENA_ARRAY(arena, uint32_t, locations + 1);
	for (location_id l = 1; l < locations; l++) {
		t->first[l] = t->ids.count;
		for (uint32_t i = 0; i <= l % 5; i++)
			*VEC_PUSH(&t->ids, arena) = 1 + (l + i * i) % nodes;
	}
	t->first[locations] = t->ids.count;
}

static void check_one_walk(struct subject *s, struct arena *arena)
{
	struct graph both, nodes = { 0 }, edges = { 0 };
	struct graph_request q = s->q;
	bool kept[64];

	memset(kept, true, sizeof(kept));
	CHECK_EQ(graph_make(&both, &q, arena), 0);
	CHECK_EQ(graph_add_nodes(&nodes, &q, arena), 0);
	/* With a choice of nodes, edges are looked for in another way. */
	q.kept = kept;
	CHECK_EQ(graph_add_edges(&edges, &q, arena), 0);
	CHECK(both.edges.count > 100);
	check_same_nodes(&both, &nodes);
	check_same_edges(&both, &edges);
}

TEST(one_walk_finds_what_two_find)
{
	const struct workers three = { 3, run_together };
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, deep_stacks(&arena));

	for (int inlined = 0; inlined < 2; inlined++) {
		s->q.workers = NULL;
		check_one_walk(s, &arena);
		s->q.workers = &three;
		check_one_walk(s, &arena);
		inline_some(s, &arena);
	}
	arena_release(&arena);
}

TEST(edges_that_are_chosen_are_those_that_are_looked_for)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, deep_stacks(&arena));
	struct graph whole, chosen = { 0 }, found = { 0 };
	bool all[64], some[64] = { false };

	memset(all, true, sizeof(all));
	inline_some(s, &arena);
	CHECK_EQ(graph_make(&whole, &s->q, &arena), 0);
	/* From one node to all of them, as ends and then as targets. */
	for (uint32_t i = 1; i < s->nodes.info.count; i++) {
		struct graph_request q = s->q;

		some[i] = true;
		for (int how = 0; how < 4; how++) {
			q.known = how & 2 ? &whole : NULL;
			q.edge_ends = how & 1 ? NULL : some;
			q.edge_targets = how & 1 ? some : NULL;
			q.kept = NULL;
			CHECK_EQ(graph_add_edges(&chosen, &q, &arena), 0);
			q.kept = all;
			CHECK_EQ(graph_add_edges(&found, &q, &arena), 0);
			CHECK(found.edges.count > 0);
			check_same_edges(&chosen, &found);
		}
	}
	arena_release(&arena);
}

TEST(inlined_functions_are_called_by_those_they_are_in)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, "a;b 3\nc;d 4\nb 1\n");
	uint32_t inside[] = { node_called(s, "d"), node_called(s, "c"),
			      node_called(s, "b") };
	bool kept[8] = { false };
	struct graph g;

	/* Where b was, c is inlined now, and d in that. */
	s->nodes.ids.count = 0;
	for (location_id l = 1; l < s->p.locations.count; l++) {
		bool is_b = s->nodes.first[l] == node_called(s, "b") - 1;

		s->nodes.first[l] = s->nodes.ids.count;
		for (uint32_t i = 0; i < (is_b ? 3 : 1); i++)
			*VEC_PUSH(&s->nodes.ids, &arena) = is_b ? inside[i] : l;
	}
	s->nodes.first[s->p.locations.count] = s->nodes.ids.count;
	CHECK_EQ(graph_make(&g, &s->q, &arena), 0);
	CHECK_EQ(edge_between(s, &g, "a", "b")->weight, 3);
	CHECK(!edge_between(s, &g, "a", "b")->inlined);
	CHECK_EQ(edge_between(s, &g, "b", "c")->weight, 4);
	CHECK(edge_between(s, &g, "b", "c")->inlined);
	CHECK_EQ(edge_between(s, &g, "c", "d")->weight, 8);
	CHECK(!edge_between(s, &g, "c", "d")->inlined);

	/* What is left out in between shows in the edge. */
	kept[inside[0]] = kept[inside[2]] = true;
	s->q.kept = kept;
	CHECK_EQ(graph_make(&g, &s->q, &arena), 0);
	CHECK_EQ(g.edges.count, 1);
	CHECK_EQ(edge_between(s, &g, "b", "d")->weight, 4);
	CHECK(edge_between(s, &g, "b", "d")->residual);
	arena_release(&arena);
}

TEST(a_call_tree_has_a_node_for_each_path)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, "a;b;a 3\na;c 4\nb 5\n");
	struct calltree t;
	const struct graph *g = &t.graph;
	int roots = 0;

	CHECK_EQ(calltree_make(&t, &s->q, 0, &arena), 0);
	CHECK_EQ(g->nodes.count, 1 + 5);
	CHECK_EQ(g->edges.count, 3);
	for (uint32_t i = 1; i < g->nodes.count; i++)
		roots += g->nodes.at[i].cum == 7 || g->nodes.at[i].cum == 5;
	CHECK_EQ(roots, 2);
	CHECK_EQ(g->nodes.at[t.ends[s->p.stack[0]]].flat, 3);
	arena_release(&arena);
}

static const char *shown_names(const struct trimmed *t, struct arena *arena)
{
	char *text = arena_alloc(arena, 256);
	size_t len = 0;

	for (uint32_t i = 0; i < t->shown_count; i++) {
		struct span name = trimmed_name(t, t->shown[i]);

		len += fmt_text(text + len, 256 - len, "%.*s ", (int)name.len,
				(const char *)name.at);
	}
	return text;
}

TEST(trimming_drops_light_nodes_and_orders_the_rest)
{
	struct arena arena = { 0 };
	struct subject *s = subject(
		&arena, "main;a 50\nmain;b 30\nmain;c 19\nmain;d 1\n");
	struct trim_options o = { .node_fraction = 0.05, .edges = true };
	struct trimmed t;

	CHECK_EQ(trim(&t, &s->q, &o, &arena), 0);
	CHECK_STR(shown_names(&t, &arena), "a b c main ");
	CHECK_EQ(t.dropped_nodes, 1);
	o.by_cum = true;
	o.node_count = 2;
	CHECK_EQ(trim(&t, &s->q, &o, &arena), 0);
	CHECK_STR(shown_names(&t, &arena), "main a ");
	CHECK_EQ(t.original_count, 4);
	arena_release(&arena);
}

/* The edges from shown nodes that a tree is left with. */
static uint32_t calls_shown(const struct trimmed *t)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->shown_count; i++) {
		struct edge_list out = edges_out(t, t->shown[i]);

		for (uint32_t j = 0; j < out.count; j++)
			count += !t->graph.edges.at[out.at[j]].removed;
	}
	return count;
}

TEST(calls_that_add_up_to_nothing_stay_in_a_tree)
{
	struct arena arena = { 0 };
	struct subject *s = subject(
		&arena, "a 100\na;b;c 5\na;b;d -5\na;e 90\na;f 3\n");
	struct trim_options o = { .node_fraction = 0.2,
				  .edges = true,
				  .tree = true };
	struct trimmed t;

	CHECK_EQ(trim(&t, &s->q, &o, &arena), 0);
	CHECK_STR(shown_names(&t, &arena), "a e ");
	/* To e, and to b, which was never an entry; not to f. */
	CHECK_EQ(calls_shown(&t), 2);
	arena_release(&arena);
}

/* Gives each sample a 1 in front of its value, to divide by. */
static void count_samples(struct subject *s, struct arena *arena)
{
	uint32_t count = s->p.sample_count;
	int64_t *pairs = ARENA_ARRAY(arena, int64_t, 2 * (size_t)count);

	for (uint32_t i = 0; i < count; i++) {
		pairs[2 * i] = 1;
		pairs[2 * i + 1] = s->p.value[i];
	}
	(void)VEC_PUSH(&s->p.types, arena);
	s->p.value = pairs;
	s->q.value = (struct sample_value){ .index = 1, .mean = true };
}

TEST(calls_of_no_value_stay_in_a_tree_of_means)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, "a 100\na;b 0\na;e 90\na;f 3\n");
	struct trim_options o = { .node_fraction = 0.2,
				  .edges = true,
				  .tree = true };
	struct trimmed t;

	count_samples(s, &arena);
	CHECK_EQ(trim(&t, &s->q, &o, &arena), 0);
	CHECK_STR(shown_names(&t, &arena), "a e ");
	CHECK_EQ(calls_shown(&t), 2);
	arena_release(&arena);
}

static int64_t score_nothing(const struct trimmed *t, uint32_t node)
{
	(void)t;
	(void)node;
	return 0;
}

TEST(equal_nodes_of_a_tree_stay_in_order)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, "b;x;y 3\nc;x;y 5\n");
	struct trim_options o = { .by_cum = true, .edges = true, .tree = true };
	struct trimmed t;
	int64_t cum[2] = { 0 };
	unsigned found = 0;

	/* By what they spend, and then by nothing. */
	CHECK_EQ(trim(&t, &s->q, &o, &arena), 0);
	CHECK_EQ(graph_order_nodes(&t, score_nothing, &arena), 0);
	CHECK_STR(shown_names(&t, &arena), "b c x x y y ");
	for (uint32_t i = 0; i < t.shown_count; i++)
		if (trimmed_name(&t, t.shown[i]).at[0] == 'x')
			cum[found++] = t.graph.nodes.at[t.shown[i]].cum;
	CHECK_EQ(cum[0], 5);
	CHECK_EQ(cum[1], 3);
	arena_release(&arena);
}

TEST(equal_values_are_ordered_by_name)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, "z 5\nb 5\nm -5\na 5\n");
	struct trim_options o = { 0 };
	struct trimmed t;

	CHECK_EQ(trim(&t, &s->q, &o, &arena), 0);
	CHECK_STR(shown_names(&t, &arena), "a b m z ");
	arena_release(&arena);
}

TEST(workers_put_names_and_edges_in_the_same_order)
{
	const struct workers three = { 3, run_together };
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, deep_stacks(&arena));
	struct trim_options o = { .edges = true };
	struct trimmed one, many;
	uint32_t edges;

	CHECK_EQ(trim(&one, &s->q, &o, &arena), 0);
	s->q.workers = &three;
	CHECK_EQ(trim(&many, &s->q, &o, &arena), 0);
	edges = one.graph.edges.count;
	CHECK(one.ranks && many.ranks);
	CHECK_EQ(memcmp(one.ranks, many.ranks,
			s->nodes.info.count * sizeof(*one.ranks)),
		 0);
	CHECK_EQ(memcmp(one.out.ids, many.out.ids, edges * sizeof(uint32_t)),
		 0);
	CHECK_EQ(memcmp(one.in.ids, many.in.ids, edges * sizeof(uint32_t)), 0);
	arena_release(&arena);
}

/* Many edges of few weights, some of them equal in everything. */
static void make_edges(struct graph *g, uint32_t nodes, uint32_t count,
		       struct arena *arena)
{
	uint64_t random = RANDOM_START;

	for (uint32_t i = 0; i < nodes; i++)
		VEC_PUSH(&g->nodes, arena)->info = i;
	for (uint32_t i = 0; i < count; i++)
		*VEC_PUSH(&g->edges, arena) = (struct graph_edge){
			.from = (uint32_t)(random_next(&random) % nodes),
			.to = (uint32_t)(random_next(&random) % nodes),
			.weight = (int64_t)(random_next(&random) % 9) - 3,
		};
}

TEST(workers_sort_very_many_edges_in_the_same_order)
{
	enum { NODES = 300, EDGES = 150000 };
	const struct workers teams[] = { { 1, run_together },
					 { 2, run_together },
					 { 3, run_backwards } };
	struct arena arena = { 0 };
	struct graph_request q = { 0 };
	struct trimmed t = { .request = &q };
	uint32_t *ranks = ARENA_ARRAY(&arena, uint32_t, NODES);
	uint32_t *ids[3];

	make_edges(&t.graph, NODES, EDGES, &arena);
	for (uint32_t i = 0; i < NODES; i++)
		ranks[i] = i * 7 % NODES;
	t.ranks = ranks;
	for (unsigned n = 0; n < 3; n++) {
		ids[n] = ARENA_ARRAY(&arena, uint32_t, EDGES);
		for (uint32_t i = 0; i < EDGES; i++)
			ids[n][i] = i;
		q.workers = &teams[n];
		CHECK_EQ(graph_sort_edges(&t, ids[n], EDGES, &arena), 0);
		CHECK_EQ(memcmp(ids[n], ids[0], EDGES * sizeof(**ids)), 0);
	}
	CHECK(t.graph.edges.at[ids[0][0]].weight == 5);
	CHECK(t.graph.edges.at[ids[0][EDGES - 1]].weight == 0);
	arena_release(&arena);
}

TEST(a_graph_of_too_many_edges_says_so)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, deep_stacks(&arena));
	struct graph g;
	uint32_t edges;

	CHECK_EQ(graph_make(&g, &s->q, &arena), 0);
	edges = g.edges.count;
	s->q.most_edges = edges;
	CHECK_EQ(graph_make(&g, &s->q, &arena), 0);
	s->q.most_edges = edges - 1;
	CHECK_EQ(graph_make(&g, &s->q, &arena), -E2BIG);
	arena_release(&arena);
}

TEST(a_graph_out_of_memory_says_so)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, "main;a;b 3\nmain;a 4\n");
	struct arena small = { .limit = 4096 };
	struct graph g;

	CHECK_EQ(graph_make(&g, &s->q, &small), -ENOMEM);
	arena_release(&small);
	arena_release(&arena);
}

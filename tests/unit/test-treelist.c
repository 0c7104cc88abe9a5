/* SPDX-License-Identifier: MIT */
/* Call trees that are listed without being made: the same as those that are. */
#include "profile/treelist.h"

#include <errno.h>

#include "base/workers.h"
#include "profile/runtree.h"
#include "random.h"
#include "tree_fixture.h"

static struct tree_fixture x;
static struct runtree runs;
static struct treelist list;

/* All get their share, the last one first. */
static void run_backwards(unsigned count, workers_job *job, void *context)
{
	while (count-- > 0)
		job(context, count);
}

static const struct workers three = { 3, run_backwards };

/* Lists it; entries are nobody's kin but their own. */
static int list_tree(const struct workers *workers)
{
	uint32_t count = x.nodes.info.count;
	uint32_t *same = ARENA_ARRAY(&x.arena, uint32_t, count);
	const struct treelist_kin kin = {
		.ranks = x.made.ranks,
		.of = same,
		.nodes = count,
		.kinds = count,
		.by_weight = x.by_cum,
		.pacer = x.q.pacer,
	};

	for (uint32_t i = 0; i < count; i++)
		same[i] = i;
	CHECK_EQ(runtree_make(&runs, &x.q, &x.arena), 0);
	return treelist_make(&list, &runs, &kin, workers, &x.arena);
}

/* A node that was made, as text: what it is, what it spends, whom it calls. */
static size_t put_made(char *text, size_t room, uint32_t node)
{
	const struct graph_node *n = &x.made.graph.nodes.at[node];
	struct edge_list out = edges_out(&x.made, node);
	size_t len = fmt_text(text, room, "%u %lld:", trimmed_id(&x.made, node),
			      (long long)mean_value(n->flat, n->flat_div));

	for (uint32_t i = 0; i < out.count; i++) {
		const struct graph_edge *e = &x.made.graph.edges.at[out.at[i]];

		len += fmt_text(text + len, room - len, " %u %lld",
				trimmed_id(&x.made, e->to),
				(long long)e->weight);
	}
	return len;
}

static size_t put_listed(char *text, size_t room, struct treelist_cursor c)
{
	struct tree_call row;
	uint32_t count;
	const struct tree_call *calls = treelist_calls(&list, c, &row, &count);
	size_t len = fmt_text(text, room, "%u %lld:", treelist_entry(&list, c),
			      (long long)treelist_own(&list, c));

	for (uint32_t i = 0; i < count; i++)
		len += fmt_text(text + len, room - len, " %u %lld",
				calls[i].callee,
				(long long)list.weights[calls[i].weight]);
	return len;
}

enum { LINE = 512, MOST = 4096 };

static char made[MOST][LINE];
static char listed[MOST][LINE];

static uint32_t put_all(void)
{
	uint32_t count = treelist_count(&list);
	struct treelist_cursor c = treelist_seek(&list, 0);

	CHECK_EQ(count, x.made.shown_count);
	CHECK(count < MOST);
	for (uint32_t i = 0; i < count; i++, treelist_step(&list, &c)) {
		CHECK_EQ(c.place, i);
		CHECK_EQ(treelist_entry(&list, treelist_seek(&list, i)),
			 treelist_entry(&list, c));
		put_made(made[i], LINE, x.made.shown[i]);
		put_listed(listed[i], LINE, c);
	}
	return count;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* What a node spends and whom it calls, added up. */
static uint64_t sum_at(struct treelist_cursor c)
{
	struct tree_call row;
	uint32_t count;
	const struct tree_call *calls = treelist_calls(&list, c, &row, &count);
	uint64_t sum = treelist_own(&list, c);

	for (uint32_t i = 0; i < count; i++)
		sum += list.weights[calls[i].weight];
	return sum;
}

/* Sums of all nodes, by entry and turn; before: where those of an entry are. */
static void sum_turns(uint64_t *sums, const uint32_t *before)
{
	struct treelist_cursor c = treelist_seek(&list, 0);
	uint32_t *turns = ARENA_ARRAY(&x.arena, uint32_t, x.nodes.info.count);

	for (; c.place < treelist_count(&list); treelist_step(&list, &c)) {
		node_id entry = treelist_entry(&list, c);

		sums[before[entry] + turns[entry]++] = sum_at(c);
	}
}

/* Each turn of an entry is that of one node, called or a root; and of the right
 * one, as far as sums tell. */
static void check_turns(void)
{
	static bool taken[MOST];
	static uint64_t sums[MOST];
	struct treelist_cursor c = treelist_seek(&list, 0);
	uint32_t *before = ARENA_ARRAY(&x.arena, uint32_t, x.nodes.info.count);
	uint32_t sum = 0;

	memset(taken, 0, sizeof(taken));
	for (node_id n = 1; n < x.nodes.info.count; n++) {
		before[n] = sum;
		sum += list.kin_counts[n];
	}
	CHECK_EQ(sum, treelist_count(&list));
	sum_turns(sums, before);
	for (uint32_t i = 0; i <= treelist_count(&list); i++) {
		struct tree_call row;
		uint32_t count = list.first_call[1];
		const struct tree_call *calls = list.calls;

		if (i) {
			calls = treelist_calls(&list, c, &row, &count);
			treelist_step(&list, &c);
		}
		for (uint32_t k = 0; k < count; k++) {
			uint32_t turn = treelist_turn(
				&list, calls[k].place,
				list.to_turn[calls[k].callee]);

			CHECK(turn < list.kin_counts[calls[k].callee]);
			turn += before[calls[k].callee];
			CHECK(!taken[turn]);
			/* But for what is spent on average. */
			if (!x.q.value.mean)
				CHECK_EQ(sums[turn],
					 list.weights[calls[k].weight]);
			taken[turn] = true;
		}
	}
	for (uint32_t i = 0; i < sum; i++)
		CHECK(taken[i]);
}

static char *random_stacks(uint64_t *state, uint32_t functions)
{
	static char text[1 << 16];
	uint32_t samples = 1 + (uint32_t)(random_next(state) % 80);
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < samples; i++) {
		uint32_t depth = 1 + (uint32_t)(random_next(state) % 9);

		for (uint32_t d = 0; d < depth; d++)
			len += fmt_text(
				text + len, sizeof(text) - len, "%sf%u",
				d ? ";" : "",
				(unsigned)(random_next(state) % functions));
		len += fmt_text(text + len, sizeof(text) - len, " %u\n",
				(unsigned)(random_next(state) % 4));
	}
	return text;
}

/* A tree of another order, or of means, every other time. */
static void start_round(unsigned round, uint64_t *state)
{
	x.by_cum = round & 2;
	tree_fixture_start(&x, random_stacks(state, 2 + round % 7));
	if (round & 4)
		tree_fixture_divide(&x);
}

TEST(a_listed_tree_is_the_one_that_is_made)
{
	uint64_t state = RANDOM_START;

	for (unsigned round = 0; round < 600; round++) {
		uint32_t count;

		start_round(round, &state);
		tree_fixture_make(&x, false);
		CHECK_EQ(list_tree(round % 2 ? &three : NULL), 0);
		CHECK(runs.visits.at);
		count = put_all();
		for (uint32_t i = 0; i < count; i++)
			CHECK_STR(listed[i], made[i]);
		check_turns();
	}
}

TEST(paths_that_are_the_same_are_merged)
{
	uint64_t state = RANDOM_START;

	for (unsigned round = 0; round < 600; round++) {
		uint32_t count;

		start_round(round, &state);
		if (x.profile.functions.count > 2)
			tree_fixture_join(&x, 2, 1);
		tree_fixture_make(&x, false);
		CHECK_EQ(list_tree(round % 2 ? &three : NULL), 0);
		count = put_all();
		/* Nodes that are equal can be in any order. */
		qsort(made, count, LINE, compare_lines);
		qsort(listed, count, LINE, compare_lines);
		for (uint32_t i = 0; i < count; i++)
			CHECK_STR(listed[i], made[i]);
		check_turns();
	}
}

TEST(a_node_with_many_callees_has_them_in_order)
{
	static char text[1 << 13];
	size_t len = 0;

	for (unsigned i = 0; i < 100; i++)
		len += fmt_text(text + len, sizeof(text) - len, "main;f%u %u\n",
				i, 1 + i % 5);
	tree_fixture_start(&x, text);
	tree_fixture_make(&x, false);
	CHECK_EQ(list_tree(NULL), 0);
	CHECK_EQ(put_all(), 101);
	for (uint32_t i = 0; i < 101; i++)
		CHECK_STR(listed[i], made[i]);
}

TEST(two_entries_of_one_name_can_not_be_listed)
{
	tree_fixture_start(&x, "a;b 1\na;c;b 2\nb;c 1\n");
	tree_fixture_join(&x, 2, 1);
	x.profile.locations.at[2].mapping = profile_add_mapping(
		&x.profile,
		(struct mapping){ .id = 2,
				  .file = strtab_add_text(x.profile.strings,
							  "/lib/other.so") });
	tree_fixture_make(&x, false);
	CHECK_EQ(list_tree(NULL), -ENOTSUP);
}

TEST(a_run_that_weighs_nothing_can_not_be_listed)
{
	tree_fixture_start(&x, "a;b 1\na;c 2\n");
	tree_fixture_divide(&x);
	tree_fixture_make(&x, false);
	CHECK_EQ(list_tree(NULL), 0);
	profile_values(&x.profile, 1)[1] = 0;
	tree_fixture_make(&x, false);
	CHECK_EQ(runtree_make(&runs, &x.q, &x.arena), -ENOTSUP);
}

/* For a pacer: so many times yes. */
static bool count_down(void *context)
{
	unsigned *left = context;

	return *left && (*left)--;
}

/* Lists what was made with a pacer that says no after so many times; returns
 * how often it has to say yes until there is a list. */
static unsigned times_to_list(void)
{
	for (unsigned times = 0;; times++) {
		unsigned left = times;
		const struct graph_pacer pacer = { count_down, &left };
		int r;

		x.q.pacer = &pacer;
		r = list_tree(&three);
		x.q.pacer = NULL;
		if (r == 0)
			return times;
		CHECK_EQ(r, -ECANCELED);
	}
}

TEST(a_list_is_given_up_wherever_it_is_told_to)
{
	uint64_t state = RANDOM_START;
	unsigned times[2];

	for (unsigned by_cum = 0; by_cum < 2; by_cum++) {
		uint32_t count;

		x.by_cum = by_cum;
		tree_fixture_start(&x, random_stacks(&state, 7));
		tree_fixture_make(&x, false);
		times[by_cum] = times_to_list();
		count = put_all();
		for (uint32_t i = 0; i < count; i++)
			CHECK_STR(listed[i], made[i]);
	}
	CHECK(times[0] >= 3);
	CHECK(times[1] > times[0]); /* There is more to be done. */
}

TEST(nothing_is_an_empty_list)
{
	tree_fixture_start(&x, "a;b 0\n");
	tree_fixture_make(&x, false);
	CHECK_EQ(list_tree(&three), 0);
	CHECK_EQ(treelist_count(&list), 0);
}

/* SPDX-License-Identifier: MIT */
/* The nodes of a profile that has more locations than another. */
#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "folded.h"
#include "profile/derive.h"
#include "profile/node.h"

static const struct node_options by_function = { .function = true,
						 .inlines = true };
static const struct node_options by_address = { .function = true,
						.address = true,
						.inlines = true };

static struct arena arena;
static struct profile smaller;
static struct nodetab known;

static struct span name_of(const struct nodetab *t, node_id id)
{
	return node_name(&t->info.at[id], smaller.strings, &arena);
}

static int sign(int64_t x)
{
	return (x > 0) - (x < 0);
}

/* How many different names go before each. */
static void rank_known(void)
{
	uint32_t count = known.info.count;
	uint32_t *ranks = ARENA_ARRAY(&arena, uint32_t, count);

	for (node_id a = 0; a < count; a++)
		for (node_id b = 0; b < count; b++) {
			bool first = true;

			for (node_id c = 0; c < b; c++)
				first &= !span_equal(name_of(&known, b),
						     name_of(&known, c));
			ranks[a] += first &&
				    span_compare(name_of(&known, b),
						 name_of(&known, a)) < 0;
		}
	known.ranks = ranks;
}

/* Its own function at no address, as tags in stacks are. */
static void add_location(struct profile *p, const char *name)
{
	struct line line = { 0 };
	str_id id = strtab_add_text(p->strings, name);

	line.function = profile_add_function(p,
					     (struct function){ .name = id });
	CHECK(line.function);
	CHECK(profile_add_location(p, (struct location){ 0 }, &line, 1));
}

static struct profile start(const struct node_options *o)
{
	struct profile p;

	arena_release(&arena);
	smaller = folded(&arena, "m;c;k;o 1\nm;b;zz 2\n");
	CHECK_EQ(nodetab_make(&known, &smaller, o, &arena), 0);
	profile_derive(&p, &smaller, &arena);
	CHECK_EQ(profile_own_functions(&p), 0);
	CHECK_EQ(profile_own_locations(&p), 0);
	return p;
}

static bool same_info(const struct node_info *a, const struct node_info *b)
{
	return a->name == b->name && a->address == b->address &&
	       a->object == b->object;
}

/* Checks that it is what is made without knowing anything. */
static void check_widened(const struct nodetab *t, const struct profile *p,
			  const struct node_options *o)
{
	struct nodetab anew;

	CHECK_EQ(nodetab_make(&anew, p, o, &arena), 0);
	CHECK_EQ(t->info.count, anew.info.count);
	CHECK_EQ(t->ids.count, anew.ids.count);
	for (node_id id = 1; id < anew.info.count; id++)
		CHECK(same_info(&t->info.at[id], &anew.info.at[id]));
	CHECK_EQ(memcmp(t->ids.at, anew.ids.at,
			anew.ids.count * sizeof(*anew.ids.at)),
		 0);
	CHECK_EQ(memcmp(t->first, anew.first,
			(p->locations.count + 1) * sizeof(*anew.first)),
		 0);
}

static void check_ranks(const struct nodetab *t)
{
	CHECK(t->ranks);
	for (node_id a = 0; a < t->info.count; a++)
		for (node_id b = 0; b < t->info.count; b++) {
			struct span x = name_of(t, a), y = name_of(t, b);
			int64_t distance = (int64_t)t->ranks[a] - t->ranks[b];

			CHECK_EQ(sign(distance), sign(span_compare(x, y)));
		}
}

static void check_widen(const struct node_options *o, bool ranked)
{
	/* Before, between and behind all; some twice, some known. */
	static const char *const names[] = { "d",  "",	 "a",	"zzz", "c",
					     "d",  "bb", "<",	"k",   "kk",
					     "kk", "zz", "zzz", "ba",  "m" };
	struct profile p = start(o);
	struct nodetab wide;

	if (ranked)
		rank_known();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		add_location(&p, names[i]);
		CHECK_EQ(nodetab_widen(&wide, &known, &smaller, &p, o, &arena),
			 0);
		check_widened(&wide, &p, o);
		if (ranked)
			check_ranks(&wide);
		else
			CHECK(!wide.ranks);
	}
	arena_release(&arena);
}

TEST(new_locations_get_nodes_behind_those_that_are_known)
{
	check_widen(&by_function, false);
	check_widen(&by_address, false);
}

TEST(new_names_find_their_ranks_among_the_others)
{
	check_widen(&by_function, true);
	check_widen(&by_address, true);
}

TEST(nothing_new_is_the_same)
{
	struct profile p = start(&by_function);
	struct nodetab wide;

	rank_known();
	CHECK_EQ(nodetab_widen(&wide, &known, &smaller, &p, &by_function,
			       &arena),
		 0);
	check_widened(&wide, &p, &by_function);
	check_ranks(&wide);
	arena_release(&arena);
}

/* Who needs them may put all in order then. */
TEST(too_many_new_names_get_no_ranks)
{
	struct profile p = start(&by_function);
	struct nodetab wide;

	rank_known();
	for (unsigned i = 0; i < 5000; i++) {
		char name[16];

		fmt_text(name, sizeof(name), "n%u", i);
		add_location(&p, name);
	}
	CHECK_EQ(nodetab_widen(&wide, &known, &smaller, &p, &by_function,
			       &arena),
		 0);
	check_widened(&wide, &p, &by_function);
	CHECK(!wide.ranks);
	arena_release(&arena);
}

static void check_found_out(const struct profile *p)
{
	struct nodetab wide;

	CHECK_EQ(
		nodetab_widen(&wide, &known, &smaller, p, &by_function, &arena),
		-ENOENT);
	arena_release(&arena);
}

TEST(locations_that_are_not_the_same_are_found_out)
{
	struct profile p = start(&by_function);

	p.locations.at[2].address++;
	check_found_out(&p);
	p = start(&by_function);
	p.lines.at[1].line++;
	check_found_out(&p);
	p = start(&by_function);
	p.locations.count--;
	check_found_out(&p);
}

/* SPDX-License-Identifier: MIT */
/* Graphs that are added up from trails, against those of a walk. */
#include "profile/trail.h"

#include <errno.h>
#include <string.h>

#include "folded.h"
#include "hands.h"
#include "profile/graph.h"
#include "profile/order.h"
#include "random.h"

enum {
	FUNCTIONS = 40,
	NODES = 24, /* fewer, so that much recurs */
	STACKS = 300,
	DEEPEST = 60,
};

/* Random stacks, everything in arena. */
struct subject {
	struct arena *arena;
	struct profile p;
	struct stack_order order;
	uint64_t random;
};

static uint32_t below(struct subject *s, uint32_t limit)
{
	return (uint32_t)(random_next(&s->random) % limit);
}

static void add_stack(struct subject *s, const location_id *functions)
{
	uint32_t depth = 1 + below(s, DEEPEST);
	/* Some begin alike, and some are over few functions. */
	uint64_t state = 1 + below(s, 5);
	uint32_t few = 1 + below(s, FUNCTIONS);
	uint32_t alike = below(s, depth);
	frame_id frames[DEEPEST];
	int64_t *value;

	for (uint32_t i = 0; i < depth; i++) {
		uint64_t *from = i < alike ? &state : &s->random;

		frames[i] = functions[random_next(from) % few];
	}
	value = profile_add_sample(
		&s->p, stack_add(&s->p.stacks, 0, frames, depth), 0);
	*value = (int64_t)below(s, 7) - 2;
}

static struct subject *subject(struct arena *arena, uint64_t seed, int stacks)
{
	struct subject *s = ARENA_NEW(arena, struct subject);
	location_id functions[FUNCTIONS];

	s->arena = arena;
	s->random = RANDOM_START + seed;
	s->p = folded(arena, "f0 1\n");
	folded_functions(&s->p, functions, FUNCTIONS);
	for (int i = 0; i < stacks; i++)
		add_stack(s, functions);
	CHECK_EQ(stack_order_make(&s->order, &s->p.stacks, arena), 0);
	return s;
}

/* From one to four nodes for each location, some of them twice. */
static struct nodetab *some_nodes(struct subject *s)
{
	uint32_t locations = s->p.locations.count;
	struct nodetab *t = ARENA_NEW(s->arena, struct nodetab);

	(void)VEC_RESERVE(&t->info, s->arena, NODES);
	t->info.count = NODES;
	t->first = ARENA_ARRAY(s->arena, uint32_t, locations + 1);
	for (location_id l = 1; l < locations; l++) {
		uint32_t lines = 1 + below(s, 4);

		t->first[l] = t->ids.count;
		for (uint32_t i = 0; i < lines; i++)
			*VEC_PUSH(&t->ids, s->arena) = 1 + below(s, NODES - 1);
	}
	t->first[locations] = t->ids.count;
	return t;
}

static void check_same(const struct graph *a, const struct graph *b)
{
	CHECK_EQ(a->nodes.count, b->nodes.count);
	for (uint32_t i = 1; i < a->nodes.count; i++)
		CHECK_EQ(memcmp(&a->nodes.at[i], &b->nodes.at[i],
				sizeof(*a->nodes.at)),
			 0);
	CHECK_EQ(a->edges.count, b->edges.count);
	for (uint32_t i = 0; i < a->edges.count; i++)
		CHECK_EQ(memcmp(&a->edges.at[i], &b->edges.at[i],
				sizeof(*a->edges.at)),
			 0);
}

/* For some samples, and for their mean as well. */
static void check_trail(struct subject *s, const struct trail *t,
			const struct graph_request *request)
{
	struct graph_request q = *request;
	struct graph walked, added;

	for (int choice = 0; choice < 4; choice++) {
		for (uint32_t i = 0; i < s->p.sample_count; i++)
			if (choice && below(s, 3) == 0)
				s->p.value[i] = 0;
		q.value.mean = choice % 2;
		q.trail = NULL;
		CHECK_EQ(graph_make(&walked, &q, s->arena), 0);
		q.trail = t;
		CHECK_EQ(graph_make(&added, &q, s->arena), 0);
		check_same(&walked, &added);
	}
}

static const struct workers three = { 3, run_together };
static const struct workers *const teams[] = { NULL, &three };

TEST(what_a_trail_adds_up_to_is_what_a_walk_finds)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct arena arena = { 0 };
		struct subject *s = subject(&arena, seed, STACKS);
		const struct graph_request q = {
			.profile = &s->p,
			.nodes = some_nodes(s),
			.order = &s->order,
			.workers = teams[seed % 2],
		};
		struct trail t;

		CHECK_EQ(trail_make(&t, &q), 0);
		check_trail(s, &t, &q);
		trail_release(&t);
		arena_release(&arena);
	}
}

TEST(a_trail_of_too_many_edges_says_so)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, 1, STACKS);
	const struct graph_request q = {
		.profile = &s->p,
		.nodes = some_nodes(s),
		.order = &s->order,
		.most_edges = 3,
	};
	struct trail t;

	CHECK_EQ(trail_make(&t, &q), -E2BIG);
	CHECK_EQ(t.parts, 0);
	arena_release(&arena);
}

static bool never(void *context)
{
	(void)context;
	return false;
}

TEST(who_makes_a_trail_stops_when_told)
{
	struct arena arena = { 0 };
	struct subject *s = subject(&arena, 1, 30 * STACKS);
	const struct graph_pacer pacer = { never, NULL };
	struct graph_request q = {
		.profile = &s->p,
		.nodes = some_nodes(s),
		.order = &s->order,
	};
	struct trail t, other;
	struct graph g;

	CHECK_EQ(trail_make(&t, &q), 0);
	q.pacer = &pacer;
	CHECK_EQ(trail_make(&other, &q), -ECANCELED);
	CHECK_EQ(other.parts, 0);
	CHECK_EQ(trail_graph(&g, &t, &q, &arena), -ECANCELED);
	trail_release(&t);
	arena_release(&arena);
}

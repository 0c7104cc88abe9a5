/* SPDX-License-Identifier: MIT */
/* Stacks with frames put at their ends. */
#include "profile/graft.h"

#include "base/check.h"
#include "folded.h"
#include "profile/derive.h"
#include "profile/order.h"
#include "random.h"

enum { SETS = 4, ENDS = 3, SAMPLES = 300, DEPTH = 12 };

/* Of frames 1 to 5: at the root nothing, 1, or 2 3; at the leaf likewise. */
static const frame_id ends[] = { 1, 2, 3, 4, 5 };
static const struct graft_run roots[ENDS] = { { 0, 0 }, { 0, 1 }, { 1, 2 } };
static const struct graft_run leaves[ENDS] = { { 0, 0 }, { 3, 1 }, { 3, 2 } };
static const uint32_t root_of[SETS] = { 1, 0, 2, 1 };
static const uint32_t leaf_of[SETS] = { 0, 2, 1, 1 };

static const struct graft graft = {
	.frames = ends,
	.frame_count = ARRAY_SIZE(ends),
	.roots = roots,
	.leaves = leaves,
	.root_count = ENDS,
	.leaf_count = ENDS,
	.root_of = root_of,
	.leaf_of = leaf_of,
};

/* Samples of a few functions each, some without any. */
static struct profile make_profile(struct arena *arena)
{
	struct profile p = folded(arena, "a;b;c;d;e 1\n");
	uint64_t random = RANDOM_START;

	for (unsigned i = 1; i < SAMPLES; i++) {
		frame_id frames[DEPTH];
		uint32_t depth = i % 7;

		for (uint32_t d = 0; d < depth; d++) {
			frames[d] = 1 + random_next(&random) % 2;
		}
		*profile_add_sample(&p, stack_add(&p.stacks, 0, frames, depth),
				    0) = i;
		p.labels[i] = random % SETS;
	}
	return p;
}

/* Appends a run to a stack, leaf first as all of it is. */
static uint32_t add_run(frame_id *to, struct graft_run run)
{
	for (uint32_t i = 0; i < run.count; i++)
		to[i] = ends[run.first + run.count - 1 - i];
	return run.count;
}

static void check_sample(const struct profile *p, const struct profile *old,
			 uint32_t sample)
{
	frame_id expected[2 * DEPTH], found[2 * DEPTH];
	uint32_t depth = add_run(expected, leaves[leaf_of[p->labels[sample]]]);

	depth += stack_frames(&old->stacks, old->stack[sample],
			      expected + depth, DEPTH);
	depth += add_run(expected + depth, roots[root_of[p->labels[sample]]]);
	CHECK_EQ(stack_frames(&p->stacks, p->stack[sample], found, 2 * DEPTH),
		 depth);
	CHECK_EQ(memcmp(found, expected, depth * sizeof(*found)), 0);
	CHECK_EQ(profile_values(p, sample)[0], profile_values(old, sample)[0]);
}

TEST(each_sample_gets_the_ends_of_its_labels)
{
	struct arena arena = { 0 }, derived = { 0 };
	struct profile old = make_profile(&arena), p;

	profile_derive(&p, &old, &derived);
	CHECK_EQ(graft_stacks(&p, &graft), 0);
	CHECK_EQ(p.sample_count, SAMPLES);
	for (uint32_t i = 0; i < SAMPLES; i++)
		check_sample(&p, &old, i);
	arena_release(&derived);
	arena_release(&arena);
}

/* Equal ends and stacks are one stack, and callers come first. */
TEST(what_is_equal_is_shared_and_in_order)
{
	struct arena arena = { 0 }, derived = { 0 };
	struct profile old = make_profile(&arena), p;
	const struct stack_order *o;

	profile_derive(&p, &old, &derived);
	CHECK_EQ(graft_stacks(&p, &graft), 0);
	for (uint32_t i = 0; i < SAMPLES; i++)
		for (uint32_t k = 0; k < i; k++)
			if (old.stack[i] == old.stack[k] &&
			    old.labels[i] == old.labels[k])
				CHECK_EQ(p.stack[i], p.stack[k]);
	o = stack_order_of(&p.stacks);
	CHECK_EQ(o->count, p.stacks.nodes.count);
	for (uint32_t i = 2; i < o->count; i++) {
		uint32_t at = i - 1;

		/* It continues the one before, or one that that continues. */
		while (at && at != o->step[i].parent)
			at = o->step[at].parent;
		CHECK_EQ(at, o->step[i].parent);
	}
	arena_release(&derived);
	arena_release(&arena);
}

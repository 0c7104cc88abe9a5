/* SPDX-License-Identifier: MIT */
/* A small profile and its call tree, made: what a listed one is compared with.
 */
#ifndef WICK_TEST_TREE_FIXTURE_H
#define WICK_TEST_TREE_FIXTURE_H

#include "folded.h"
#include "profile/graph_order.h"
#include "profile/order.h"

struct tree_fixture {
	struct arena arena;
	struct profile profile;
	struct nodetab nodes;
	struct stack_weights weights;
	struct graph_request q;
	struct trimmed made; /* with names in order */
	bool by_cum;	     /* are they made and listed */
};

static inline void tree_fixture_start(struct tree_fixture *x, const char *text)
{
	arena_release(&x->arena);
	x->q.value = (struct sample_value){ 0 };
	x->profile = folded(&x->arena, text);
}

/* Makes functions places of one. */
static inline void tree_fixture_join(struct tree_fixture *x, function_id f,
				     function_id to)
{
	struct function *functions = x->profile.functions.at;

	functions[f].name = functions[to].name;
	functions[f].file = functions[to].file;
}

/* Shows means: the samples of a line count for one, two or three. */
static inline void tree_fixture_divide(struct tree_fixture *x)
{
	struct profile *p = &x->profile;
	int64_t *sums = p->value;

	p->value = ARENA_ARRAY(&x->arena, int64_t, 2 * p->sample_count);
	(void)VEC_PUSH(&p->types, &x->arena);
	for (uint32_t i = 0; i < p->sample_count; i++) {
		profile_values(p, i)[0] = sums[i] ? 1 + i % 3 : 0;
		profile_values(p, i)[1] = 8 * sums[i];
	}
	x->q.value = (struct sample_value){ .index = 1, .mean = true };
}

static inline void tree_fixture_make(struct tree_fixture *x, bool by_address)
{
	const struct trim_options all = { .tree = true,
					  .edges = true,
					  .by_cum = x->by_cum };
	const struct node_options options = { .function = true,
					      .file = true,
					      .address = by_address,
					      .object = true,
					      .inlines = true };

	CHECK_EQ(nodetab_make(&x->nodes, &x->profile, &options, &x->arena), 0);
	x->q = (struct graph_request){
		.profile = &x->profile,
		.nodes = &x->nodes,
		.order = stack_order_of(&x->profile.stacks),
		.value = x->q.value,
		.weights = &x->weights,
	};
	CHECK_EQ(stack_weights_make(&x->weights, &x->profile, x->q.order,
				    x->q.value, &x->arena),
		 0);
	CHECK_EQ(trim(&x->made, &x->q, &all, &x->arena), 0);
	if (!x->made.ranks)
		CHECK_EQ(graph_rank_names(&x->made, &x->arena), 0);
}

#endif /* WICK_TEST_TREE_FIXTURE_H */

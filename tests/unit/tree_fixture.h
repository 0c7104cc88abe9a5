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
};

static inline void tree_fixture_start(struct tree_fixture *x, const char *text)
{
	arena_release(&x->arena);
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

static inline void tree_fixture_make(struct tree_fixture *x, bool by_address)
{
	const struct trim_options all = { .tree = true, .edges = true };
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

/* SPDX-License-Identifier: MIT */
/* See treetext.h. */
#include "report/treetext.h"

#include <errno.h>

#include "profile/graph.h"
#include "profile/graph_order.h"
#include "profile/runtree.h"

/* Puts the names of nodes in order, unless they are; NULL: no memory. */
static const uint32_t *rank_nodes(const struct graph_request *q,
				  struct arena *arena)
{
	struct trimmed names = {
		.request = q,
		.arena = arena,
		.ranks = q->nodes->ranks,
	};

	if (names.ranks)
		return names.ranks;
	names.names = ARENA_ARRAY(arena, struct span, q->nodes->info.count);
	if (!names.names || graph_rank_names(&names, arena) < 0)
		return NULL;
	return names.ranks;
}

static int make_list(struct treetext *t, const struct graph_request *q,
		     bool by_cum)
{
	struct arena scratch = { 0 };
	const struct treelist_kin kin = {
		.ranks = rank_nodes(q, &scratch),
		.of = t->kin.family,
		.nodes = q->nodes->info.count,
		.kinds = t->kin.families.count,
		.by_weight = by_cum,
		.pacer = q->pacer,
	};
	struct runtree runs;
	int r = kin.ranks ? runtree_make(&runs, q, &scratch) : -ENOMEM;

	if (r == 0 && !graph_pacer_ask(q->pacer))
		r = -ECANCELED;
	if (r == 0)
		r = treelist_make(&t->list, &runs, &kin, q->workers, &t->arena);
	if (r == 0)
		r = treekin_count(&t->kin, &t->list, runs.count, &t->arena);
	arena_release(&scratch);
	return r == -EFBIG ? -ENOTSUP : r;
}

/* Whether all that is added up is positive: values, and what divides them. */
static bool is_positive(const struct graph_request *q)
{
	struct graph_request divisor = *q;
	int64_t total;

	divisor.value.index = 0;
	return graph_sum_positive(q, &total) &&
	       (!q->value.mean || graph_sum_positive(&divisor, &total));
}

static int make(struct treetext *t, const struct graph_request *q, bool by_cum)
{
	const struct strtab *strings = q->profile->strings;
	int r;

	if (!is_positive(q))
		return -ENOTSUP;
	r = treekin_make(&t->kin, q->nodes, &t->arena);
	if (r == 0)
		r = make_list(t, q, by_cum);
	if (r == 0 && !graph_pacer_ask(q->pacer))
		r = -ECANCELED;
	if (r < 0)
		return r;
	t->names = (struct treenames){
		.list = &t->list,
		.kin = &t->kin,
		.nodes = q->nodes,
	};
	r = treenames_make(&t->names, q->workers, strings->strings.count,
			   &t->arena);
	return r < 0 ? r
		     : treecards_make(&t->cards, &t->names, strings, q->workers,
				      &t->arena);
}

int treetext_make(struct treetext *t, const struct graph_request *q,
		  bool by_cum)
{
	int r;

	/* Rows are filled all over. */
	*t = (struct treetext){ .arena.huge_pages = true, .nodes = q->nodes };
	r = make(t, q, by_cum);
	if (r < 0)
		treetext_release(t);
	return r;
}

void treetext_release(struct treetext *t)
{
	arena_release(&t->arena);
}

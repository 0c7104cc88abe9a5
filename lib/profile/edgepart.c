/* SPDX-License-Identifier: MIT */
/* See edgepart.h. */
#include "profile/edgepart.h"

#include <errno.h>

int edgepart_init(struct edgepart *p, const struct graph_walk *walk,
		  bool with_nodes, uint32_t edges)
{
	const struct graph_request *q = walk->q;
	uint32_t nodes = q->nodes->info.count;
	struct arena *scratch = &p->scratch;

	*p = (struct edgepart){ .walk = walk,
				.scratch.huge_pages = true,
				.with_nodes = with_nodes };
	edgetab_init(&p->edges, q->value.mean, edges, scratch);
	pathmarks_init(&p->marks, nodes, scratch);
	if (with_nodes) {
		sums_init(&p->flat, nodes, q->value.mean, scratch);
		sums_init(&p->beside, nodes, q->value.mean, scratch);
	}
	(void)VEC_PUSH(&p->open, scratch); /* the empty stack */
	return scratch->failed ? -ENOMEM : 0;
}

/* Goes back on the path to the run that the next one continues. */
static struct open_run go_back(struct edgepart *p, uint32_t position)
{
	while (p->open.at[p->open.count - 1].position != position)
		p->open.count--;
	return p->open.at[p->open.count - 1];
}

void edgepart_begin_run(struct edgepart *p, uint32_t position, uint32_t mark,
			struct weight sum)
{
	struct open_run caller = go_back(
		p, p->walk->q->order->step[position].parent);

	pathmarks_undo(&p->marks, caller.height);
	p->position = position;
	p->mark = mark;
	p->sum = sum;
	p->at = caller.place;
	/* What a subtree spends is not spent at its caller's end. */
	if (p->with_nodes)
		sums_sub(&p->flat, p->at.node, sum);
}

int edgepart_end_run(struct edgepart *p, uint32_t position)
{
	if (p->with_nodes)
		sums_add(&p->flat, p->at.node, p->sum);
	if (p->mark != ON_PATH)
		return 0;
	if (!VEC_RESERVE(&p->open, &p->scratch, 1))
		return -ENOMEM;
	p->open.at[p->open.count++] = (struct open_run){
		.position = position,
		.height = p->marks.undo.count,
		.place = p->at,
	};
	return 0;
}

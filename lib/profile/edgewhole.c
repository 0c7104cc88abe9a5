/* SPDX-License-Identifier: MIT */
/*
 * The edges of a whole graph, which is a step for every frame of every run: by
 * far the most work that there is.  It is done in batches and in three turns,
 * each of which asks for what the next will touch: runs become nodes
 * (runbatch.h), nodes that follow each other become edges, and edges are added
 * to the table.
 */
#include "profile/edgewhole.h"

#include <errno.h>

#include "profile/edgepart.h"
#include "profile/runbatch.h"

struct edgewhole {
	struct edgepart *part;
	struct runbatch batch;

	/* The edges of a batch, and where the search for each starts. */
	uint64_t edges[BATCH_NODES];
	uint32_t slots[BATCH_NODES];
	uint32_t count;
	uint32_t ends[BATCH_RUNS]; /* of each run's edges */
};

/* t is the part's table: a copy, which writing to the queue can not change. */
static inline void put_edge(struct edgewhole *w, const struct edgetab *t,
			    uint64_t edge)
{
	uint32_t slot = edgetab_first(t, edge);

	edgetab_ask_ahead(t, slot);
	w->edges[w->count] = edge;
	w->slots[w->count++] = slot;
}

/* Of the two nodes, one was met before, or none is the caller. */
static bool take_odd_step(struct edgewhole *w, node_id from, node_id to,
			  uint64_t edge)
{
	enum meeting met = edgepart_meet(w->part, from, to);

	if (from && (met == MET_NODE || met == MET_EDGE))
		put_edge(w, &w->part->edges, edge);
	return met != MET_NO_MEMORY;
}

/*
 * Takes the steps of a run; there is room in undo if the mark is ON_PATH.
 * Inlined where the mark is one or the other.
 */
__attribute__((always_inline)) static inline bool take_steps(
	struct edgewhole *w, const uint32_t *nodes, uint32_t count,
	uint32_t mark)
{
	const struct edgetab table = w->part->edges;
	struct pathmarks *marks = &w->part->marks;
	node_id from = w->part->at.node;

	for (uint32_t i = 0; i < count; i++) {
		node_id to = nodes[i] & ~RUN_INLINED;
		/* The flag of one is the opposite of the other's. */
		uint64_t edge = edge_word(from, nodes[i] ^ RUN_INLINED);

		if (from && pathmarks_is_new(marks, to, mark)) {
			pathmarks_set(marks, from, to, mark);
			put_edge(w, &table, edge);
		} else if (!take_odd_step(w, from, to, edge)) {
			return false;
		}
		from = to;
	}
	w->part->at.node = from;
	return true;
}

static int take_run(struct edgewhole *w, const struct run *run)
{
	struct edgepart *p = w->part;
	const uint32_t *nodes = w->batch.nodes + run->first;
	bool ok;

	if (run->begins)
		edgepart_begin_run(p, run->position, run->mark, run->sum);
	if (run->mark == ON_PATH)
		ok = VEC_RESERVE(&p->marks.undo, &p->scratch, run->count) &&
		     take_steps(w, nodes, run->count, ON_PATH);
	else
		ok = take_steps(w, nodes, run->count, run->mark);
	if (!ok)
		return -ENOMEM;
	return run->ends ? edgepart_end_run(p, run->position) : 0;
}

static void add_edges(struct edgewhole *w)
{
	struct edgetab table = w->part->edges;
	uint32_t i = 0;

	for (uint32_t run = 0; run < w->batch.run_count; run++) {
		struct weight sum = w->batch.runs[run].sum;

		for (; i < w->ends[run]; i++)
			edgetab_add_at(&table, w->slots[i], w->edges[i], sum);
	}
	w->part->edges.count = table.count;
}

static int take_batch(void *context, const struct runbatch *b)
{
	struct edgewhole *w = context;
	int r = 0;

	if (!edgetab_reserve(&w->part->edges, b->node_count))
		return -ENOMEM;
	w->count = 0;
	for (uint32_t i = 0; i < b->run_count && r == 0; i++) {
		r = take_run(w, &b->runs[i]);
		w->ends[i] = w->count;
	}
	if (r < 0)
		return r;
	add_edges(w);
	return edgepart_has_too_many(w->part) ? -E2BIG : 0;
}

struct edgewhole *edgewhole_new(struct edgepart *p)
{
	struct edgewhole *w = ARENA_NEW(&p->scratch, struct edgewhole);

	if (!w)
		return NULL;
	w->part = p;
	w->batch.walk = p->walk;
	w->batch.take = take_batch;
	w->batch.context = w;
	w->batch.near = p->marks.nodes;
	w->batch.ends_near = p->with_nodes ? p->flat.value : NULL;
	return w;
}

int edgewhole_enter(struct edgewhole *w, uint32_t position, uint32_t mark,
		    struct weight sum)
{
	return runbatch_add(&w->batch, position, mark, sum);
}

int edgewhole_finish(struct edgewhole *w)
{
	return runbatch_flush(&w->batch);
}

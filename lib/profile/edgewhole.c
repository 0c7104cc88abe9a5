/* SPDX-License-Identifier: MIT */
/*
 * The edges of a whole graph, which is a step for every frame of every run: by
 * far the most work that there is.  It is done in batches and in three turns,
 * each of which asks for what the next will touch: runs become nodes
 * (runbatch.h), nodes that follow each other become edges, and edges are added
 * to the table.  Or they are numbered, and put down for later: see trail.h.
 */
#include "profile/edgewhole.h"

#include <errno.h>

#include "profile/edgepart.h"
#include "profile/runbatch.h"
#include "profile/trail.h"

struct edgewhole {
	struct edgepart *part;
	struct runbatch batch;

	/* The edges of a batch, and where the search for each starts. */
	uint64_t edges[BATCH_NODES];
	uint32_t slots[BATCH_NODES];
	uint32_t count;
	uint32_t ends[BATCH_RUNS]; /* of each run's edges */

	struct trail_part *trail; /* NULL: they are added up */
	struct trail_run *runs;	  /* by position */
	node_id lasts[BATCH_RUNS];
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

static bool put_aside(struct edgewhole *w, uint32_t node)
{
	struct trail_part *trail = w->trail;
	struct trail_aside *aside;

	if (w->part->position < trail->begin)
		return true;
	aside = VEC_PUSH(&trail->asides, &trail->arena);
	if (aside)
		*aside = (struct trail_aside){ w->part->position, node };
	return aside;
}

/* Of the two nodes, one was met before, or none is the caller. */
static bool take_odd_step(struct edgewhole *w, node_id from, node_id to,
			  uint64_t edge)
{
	enum meeting met = edgepart_meet(w->part, from, to);
	bool is_new = met == MET_NODE || met == MET_EDGE;

	if (from && is_new)
		put_edge(w, &w->part->edges, edge);
	if (w->trail && !from && is_new)
		return put_aside(w, to);
	if (w->trail && met == MET_EDGE)
		return put_aside(w, to | TRAIL_AGAIN);
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

/* The path to where a part begins is nobody's but an earlier part's. */
static bool is_recorded(const struct edgewhole *w, const struct run *run)
{
	return run->position >= w->trail->begin;
}

static void put_down_steps(struct edgewhole *w, uint32_t begin, uint32_t end)
{
	struct edgetab *t = &w->part->edges;
	struct trail_part *trail = w->trail;

	for (uint32_t i = begin; i < end; i++) {
		uint64_t edge = w->edges[i];
		uint32_t number = edgetab_number_at(t, w->slots[i], edge);

		if (number == trail->words.count)
			trail->words.at[trail->words.count++] = edge &
								~EDGE_REAL;
		trail->steps.at[trail->steps.count++] = number |
							((uint32_t)edge &
							 TRAIL_REAL);
	}
}

static int put_down(struct edgewhole *w)
{
	struct trail_part *trail = w->trail;
	uint32_t begin = 0;

	if (!VEC_RESERVE(&trail->steps, &trail->arena, w->count) ||
	    !VEC_RESERVE(&trail->words, &trail->arena, w->count))
		return -ENOMEM;
	for (uint32_t i = 0; i < w->batch.run_count; i++) {
		const struct run *run = &w->batch.runs[i];

		if (is_recorded(w, run)) {
			put_down_steps(w, begin, w->ends[i]);
			w->runs[run->position] = (struct trail_run){
				trail->steps.count, w->lasts[i]
			};
		}
		begin = w->ends[i];
	}
	return trail->steps.count > trail->most_steps ? -E2BIG : 0;
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
		w->lasts[i] = w->part->at.node;
	}
	if (r == 0 && w->trail)
		r = put_down(w);
	else if (r == 0)
		add_edges(w);
	if (r < 0)
		return r;
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

void edgewhole_record(struct edgewhole *w, struct trail_part *trail,
		      struct trail_run *runs)
{
	w->trail = trail;
	w->runs = runs;
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

/* SPDX-License-Identifier: MIT */
/*
 * See trail_index.h.  Most nodes have a handful of callees, so edges are put
 * with those of the same caller first and then sorted where they are.  Each
 * worker does so for a share of the callers.
 */
#include "profile/trail_index.h"

#include <errno.h>

#include "base/sort.h"
#include "profile/edgetab.h"
#include "profile/trail.h"

/*
 * A call by a known caller: to whom, and what the edge is where.  As numbers
 * they are in the order of the callees.
 */
enum {
	CALL_PART = 29, /* bits below that are the part's number of the edge */
	CALL_TO = 32,
	HANDFUL = 24,
};

struct share {
	struct arena scratch;
	node_id begin; /* these callers */
	node_id end;
	uint32_t *ends;	 /* by caller: of its calls */
	uint64_t *calls; /* of all parts */
	uint32_t count;	 /* of edges, once each */
	uint32_t first;	 /* of them in the trail */
	WORKERS_APART;
};

struct indexer {
	struct trail *t;
	unsigned workers;
	struct share share[WORKERS_MAX];
};

static node_id callee(uint64_t call)
{
	return (node_id)(call >> CALL_TO);
}

static bool is_of(const struct share *s, uint64_t word)
{
	return edge_from(word) >= s->begin && edge_from(word) < s->end;
}

/* After it, ends are where the calls of each caller begin. */
static uint32_t count_calls(struct share *s, const struct trail *t)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < t->parts; i++)
		for (uint32_t e = 1; e < t->part[i].words.count; e++)
			if (is_of(s, t->part[i].words.at[e]))
				s->ends[edge_from(t->part[i].words.at[e]) -
					s->begin]++;
	for (node_id n = 0; n < s->end - s->begin; n++) {
		uint32_t count = s->ends[n];

		s->ends[n] = sum;
		sum += count;
	}
	return sum;
}

static void place_calls(struct share *s, const struct trail *t)
{
	for (unsigned i = 0; i < t->parts; i++) {
		const struct trail_part *p = &t->part[i];

		for (uint32_t e = 1; e < p->words.count; e++) {
			uint64_t word = p->words.at[e];

			if (is_of(s, word))
				s->calls[s->ends[edge_from(word) -
						 s->begin]++] =
					(uint64_t)edge_to(word) << CALL_TO |
					(uint64_t)i << CALL_PART | e;
		}
	}
}

static void sort_handful(uint64_t *calls, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		uint64_t call = calls[i];
		uint32_t at = i;

		for (; at && calls[at - 1] > call; at--)
			calls[at] = calls[at - 1];
		calls[at] = call;
	}
}

static int sort_many(struct share *s, uint64_t *calls, uint32_t count)
{
	size_t room = 2 * (size_t)count;
	struct sort_item *items = ARENA_ARRAY(&s->scratch, struct sort_item,
					      room);

	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		items[i].key = calls[i];
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		calls[i] = items[i].key;
	arena_free(&s->scratch, items, room * sizeof(*items));
	return 0;
}

/* How many callees are among sorted calls. */
static uint32_t count_callees(const uint64_t *calls, uint32_t count)
{
	uint32_t callees = 0;

	for (uint32_t i = 0; i < count; i++)
		callees += !i || callee(calls[i]) != callee(calls[i - 1]);
	return callees;
}

static int sort_calls(struct share *s)
{
	uint32_t begin = 0;
	int r = 0;

	for (node_id n = 0; n < s->end - s->begin && r == 0; n++) {
		uint64_t *calls = s->calls + begin;
		uint32_t count = s->ends[n] - begin;

		if (count > HANDFUL)
			r = sort_many(s, calls, count);
		else
			sort_handful(calls, count);
		s->count += count_callees(calls, count);
		begin = s->ends[n];
	}
	return r;
}

static void gather(void *context, unsigned worker)
{
	struct indexer *x = context;
	struct share *s = &x->share[worker];
	struct arena *scratch = &s->scratch;

	s->ends = ARENA_ARRAY(scratch, uint32_t, s->end - s->begin);
	if (!s->ends)
		return;
	s->calls = ARENA_ARRAY(scratch, uint64_t, count_calls(s, x->t));
	if (!s->calls)
		return;
	place_calls(s, x->t);
	(void)sort_calls(s); /* a failure shows in the arena */
}

/* Writes the edges of one caller to the trail, from edge on. */
static uint32_t write_calls(struct trail *t, uint32_t edge, node_id caller,
			    const uint64_t *calls, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t of_part = (uint32_t)calls[i];
		unsigned part = of_part >> CALL_PART;

		if (i && callee(calls[i]) != callee(calls[i - 1]))
			edge++;
		t->edges[edge] = edge_word(caller, callee(calls[i]));
		t->part[part].edges[edge] = of_part &
					    (((uint32_t)1 << CALL_PART) - 1);
	}
	return edge + (count != 0);
}

static void write_share(void *context, unsigned worker)
{
	struct indexer *x = context;
	const struct share *s = &x->share[worker];
	uint32_t edge = s->first;
	uint32_t begin = 0;

	for (node_id n = 0; n < s->end - s->begin; n++) {
		edge = write_calls(x->t, edge, s->begin + n, s->calls + begin,
				   s->ends[n] - begin);
		begin = s->ends[n];
	}
}

/* Node 0 calls nobody. */
static void share_out(struct indexer *x)
{
	uint64_t callers = x->t->node_count - 1;

	for (unsigned i = 0; i < x->workers; i++) {
		struct share *s = &x->share[i];

		s->begin = 1 + (node_id)(callers * i / x->workers);
		s->end = 1 + (node_id)(callers * (i + 1) / x->workers);
	}
}

/* Finds where each share is, and makes room for it. */
static int make_room(struct indexer *x)
{
	struct trail *t = x->t;
	uint64_t total = 0;

	for (unsigned i = 0; i < x->workers; i++) {
		if (x->share[i].scratch.failed)
			return -ENOMEM;
		x->share[i].first = (uint32_t)total;
		total += x->share[i].count;
	}
	if (total > UINT32_MAX)
		return -E2BIG;
	t->edge_count = (uint32_t)total;
	t->edges = ARENA_ARRAY(&t->arena, uint64_t, t->edge_count);
	for (unsigned i = 0; i < t->parts; i++)
		t->part[i].edges = ARENA_ARRAY(&t->arena, uint32_t,
					       t->edge_count);
	return t->arena.failed ? -ENOMEM : 0;
}

static bool fits(const struct trail *t)
{
	bool all = true;

	for (unsigned i = 0; i < t->parts; i++)
		all &= t->part[i].words.count < (uint32_t)1 << CALL_PART;
	return all;
}

int trail_index(struct trail *t, const struct workers *workers)
{
	struct indexer x = { .t = t, .workers = workers_parts(workers) };
	int r;

	if (!fits(t))
		return -E2BIG;
	share_out(&x);
	workers_run(workers, gather, &x);
	r = make_room(&x);
	if (r == 0)
		workers_run(workers, write_share, &x);
	for (unsigned i = 0; i < x.workers; i++)
		arena_release(&x.share[i].scratch);
	return r;
}

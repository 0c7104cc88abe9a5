/* SPDX-License-Identifier: MIT */
/*
 * See treelist_weigh.h.  Rows of one entry and weight, a stretch, stay
 * together, and stretches of one weight are in the order of their names
 * already.  So it is enough to count what there is of each weight.  What a row
 * says of its callee, that one's place among its kin, has changed with the
 * order, and is looked up here, once for all who will read it.
 */
#include "profile/treelist_weigh.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/workers.h"
#include "profile/graph.h"
#include "profile/treelist.h"

/* A worker's entries, and by weight where the next of their rows and stretches
 * go; before that is known, how many there are. */
struct share {
	uint32_t first; /* index into the list's entries */
	uint32_t end;
	uint32_t *rows;
	uint32_t *stretches;
	uint32_t *next; /* of stretches, in one pass */
	bool stopped;	/* before it was done */
	WORKERS_APART;
};

struct weigher {
	struct treelist old; /* as it was */
	struct treelist *l;
	const struct treelist_kin *kin;
	const struct workers *workers;
	uint32_t calls;	       /* where runs end */
	uint32_t *spenders;    /* by index of their entry: the first row */
	uint32_t *first_turns; /* by stretch, as listed: the turn of its first
				*/
	uint32_t *turns;       /* by row of the old list */
	struct share share[WORKERS_MAX];
	unsigned shares;
};

/* Some of the old rows. */
struct range {
	uint32_t first;
	uint32_t end;
};

struct stretch {
	uint32_t index; /* of its entry */
	uint32_t weight;
	struct range spenders; /* come first */
	struct range others;
};

static uint32_t weight_of(const struct weigher *w, uint32_t row)
{
	const struct treelist *l = &w->old;

	return (uint32_t)(l->rows[row] >> l->callee_bits >> l->place_bits);
}

static struct stretch before_first(const struct weigher *w,
				   const struct share *s)
{
	return (struct stretch){ .index = s->first,
				 .spenders.end = w->spenders[s->first],
				 .others.end = w->old.starts[s->first] };
}

/* The weight of the next row, if there is one before end; else more than any.
 */
static uint32_t next_weight(const struct weigher *w, const struct range *r,
			    uint32_t end)
{
	return r->end < end ? weight_of(w, r->end) : UINT32_MAX;
}

/* To the rows behind, as far as they have that weight. */
static void advance(const struct weigher *w, struct range *r, uint32_t end,
		    uint32_t weight)
{
	r->first = r->end;
	while (next_weight(w, r, end) == weight)
		r->end++;
}

/* Asks, now and then, whether a share is to be gone through any further. */
static bool may_go_on(const struct weigher *w, struct share *s, uint32_t index)
{
	enum { ASK_EVERY = 256 };

	if (index % ASK_EVERY == 0 && !graph_pacer_ask(w->kin->pacer))
		s->stopped = true;
	return !s->stopped;
}

/* The next stretch of a share, unless there is none. */
static bool step(const struct weigher *w, struct share *s, struct stretch *at)
{
	for (; at->index < s->end && may_go_on(w, s, at->index); at->index++) {
		uint32_t spenders_end = w->spenders[at->index + 1];
		uint32_t others_end = w->old.starts[at->index + 1];
		uint32_t a = next_weight(w, &at->spenders, spenders_end);
		uint32_t b = next_weight(w, &at->others, others_end);

		at->weight = a < b ? a : b;
		if (at->weight == UINT32_MAX)
			continue;
		advance(w, &at->spenders, spenders_end, at->weight);
		advance(w, &at->others, others_end, at->weight);
		return true;
	}
	return false;
}

static uint32_t rows_of(const struct stretch *at)
{
	return at->spenders.end - at->spenders.first + at->others.end -
	       at->others.first;
}

static void count(void *context, unsigned number)
{
	struct weigher *w = context;
	struct share *s = &w->share[number];
	struct stretch at = before_first(w, s);

	while (step(w, s, &at)) {
		s->rows[at.weight] += rows_of(&at);
		s->stretches[at.weight]++;
	}
}

/* From how many there are to where they go. */
static void give_places(struct weigher *w)
{
	uint32_t row = 0, stretch = 0;

	for (uint32_t i = 0; i < w->l->weight_count; i++) {
		for (unsigned k = 0; k < w->shares; k++) {
			struct share *s = &w->share[k];
			uint32_t rows = s->rows[i];
			uint32_t stretches = s->stretches[i];

			s->rows[i] = row;
			s->stretches[i] = stretch;
			row += rows;
			stretch += stretches;
		}
	}
	w->l->entry_count = stretch;
}

/* What there is of a share, from its first stretch on. */
static struct stretch begin(struct weigher *w, struct share *s)
{
	memcpy(s->next, s->stretches, w->l->weight_count * sizeof(*s->next));
	return before_first(w, s);
}

static void list_stretches(void *context, unsigned number)
{
	struct weigher *w = context;
	struct share *s = &w->share[number];
	struct stretch at = begin(w, s);

	while (step(w, s, &at)) {
		uint32_t place = s->next[at.weight]++;

		w->l->entries[place] = w->old.entries[at.index];
		w->l->starts[place] = s->rows[at.weight];
		s->rows[at.weight] += rows_of(&at);
	}
}

/* The turn of the first of each stretch: in the order of the list, by one. */
static void count_turns(struct weigher *w, uint32_t *counts)
{
	const struct treelist *l = w->l;

	for (uint32_t i = 0; i < l->entry_count; i++) {
		uint32_t *turn = &counts[w->kin->of[l->entries[i]]];

		w->first_turns[i] = *turn;
		*turn += l->starts[i + 1] - l->starts[i];
	}
}

static void give_turns(void *context, unsigned number)
{
	struct weigher *w = context;
	struct share *s = &w->share[number];
	struct stretch at = begin(w, s);

	while (step(w, s, &at)) {
		uint32_t turn = w->first_turns[s->next[at.weight]++];

		for (uint32_t i = at.spenders.first; i < at.spenders.end; i++)
			w->turns[i] = turn++;
		for (uint32_t i = at.others.first; i < at.others.end; i++)
			w->turns[i] = turn++;
	}
}

/* A row with the turn of its callee.  Who ends a run has none. */
static uint64_t turned(const struct weigher *w, uint64_t row)
{
	const struct treelist *l = w->l;
	uint64_t places = ~(UINT64_MAX << l->place_bits);

	if (!(row >> l->place_bits & ~(UINT64_MAX << l->callee_bits)))
		return row;
	return (row & ~places) | w->turns[row & places];
}

static void move_rows(void *context, unsigned number)
{
	enum { AHEAD = 24 };
	struct weigher *w = context;
	struct share *s = &w->share[number];
	const uint64_t *rows = w->old.rows;
	uint64_t places = ~(UINT64_MAX << w->l->place_bits);
	struct stretch at = begin(w, s);

	_Static_assert((int)AHEAD < (int)TREELIST_AHEAD, "rows are there");
	while (step(w, s, &at)) {
		uint64_t *to = w->l->rows + w->l->starts[s->next[at.weight]++];

		/* They call nobody in their run. */
		for (uint32_t i = at.spenders.first; i < at.spenders.end; i++)
			*to++ = rows[i];
		for (uint32_t i = at.others.first; i < at.others.end; i++) {
			__builtin_prefetch(&w->turns[rows[i + AHEAD] & places]);
			*to++ = turned(w, rows[i]);
		}
	}
}

/* So that all have about as many rows. */
static void share_entries(struct weigher *w)
{
	uint64_t rows = w->old.row_count;
	uint32_t at = 0;

	for (unsigned i = 0; i < w->shares; i++) {
		struct share *s = &w->share[i];

		s->first = at;
		while (at < w->old.entry_count &&
		       w->old.starts[at] < rows * (i + 1) / w->shares)
			at++;
		s->end = at;
	}
	/* The last entries may have none. */
	w->share[w->shares - 1].end = w->old.entry_count;
}

static void find_spenders(struct weigher *w)
{
	const struct treelist *old = &w->old;
	uint32_t at = 0;

	for (uint32_t i = 0; i < old->entry_count; i++) {
		w->spenders[i] = old->row_count + at;
		while (at < old->spender_count &&
		       old->spenders[at].entry == old->entries[i])
			at++;
	}
	w->spenders[old->entry_count] = old->row_count + at;
}

static int prepare(struct weigher *w, struct arena *scratch)
{
	uint32_t weights = w->l->weight_count;

	share_entries(w);
	for (unsigned i = 0; i < w->shares; i++) {
		struct share *s = &w->share[i];

		s->rows = ARENA_ARRAY(scratch, uint32_t, weights);
		s->stretches = ARENA_ARRAY(scratch, uint32_t, weights);
		s->next = ARENA_ARRAY(scratch, uint32_t, weights);
	}
	w->turns = ARENA_ARRAY(scratch, uint32_t, w->l->row_count);
	w->spenders = ARENA_ARRAY(scratch, uint32_t,
				  (size_t)w->old.entry_count + 1);
	return scratch->failed ? -ENOMEM : 0;
}

static int make_room(struct weigher *w, struct arena *arena,
		     struct arena *scratch)
{
	struct treelist *l = w->l;
	size_t count = l->entry_count;

	l->rows = ARENA_ARRAY(arena, uint64_t,
			      (size_t)l->row_count + TREELIST_AHEAD);
	l->entries = ARENA_ARRAY(arena, node_id, count);
	l->starts = ARENA_ARRAY(arena, uint32_t, count + 1);
	l->to_turn = ARENA_ARRAY(arena, uint32_t, w->kin->nodes);
	w->first_turns = ARENA_ARRAY(scratch, uint32_t, count);
	if (arena->failed || scratch->failed)
		return -ENOMEM;
	l->starts[count] = l->row_count;
	return 0;
}

/* All shares of something.  Returns 0 or -ECANCELED. */
static int work(struct weigher *w, workers_job *job)
{
	bool stopped = false;

	workers_run(w->workers, job, w);
	for (unsigned i = 0; i < w->shares; i++)
		stopped |= w->share[i].stopped;
	return stopped ? -ECANCELED : 0;
}

static int weigh(struct weigher *w, struct arena *arena, struct arena *scratch)
{
	struct treelist *l = w->l;
	uint32_t *counts = ARENA_ARRAY(scratch, uint32_t, w->kin->kinds);
	int r = counts ? prepare(w, scratch) : -ENOMEM;

	if (r < 0)
		return r;
	find_spenders(w);
	r = work(w, count);
	if (r < 0)
		return r;
	give_places(w);
	r = make_room(w, arena, scratch);
	if (r == 0)
		r = work(w, list_stretches);
	if (r < 0)
		return r;
	count_turns(w, counts);
	r = work(w, give_turns);
	if (r == 0)
		r = work(w, move_rows);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < w->calls; i++)
		l->calls[i].place = w->turns[l->calls[i].place];
	return 0;
}

int treelist_weigh(struct treelist *l, uint32_t calls,
		   const struct treelist_kin *kin,
		   const struct workers *workers, struct arena *arena)
{
	struct arena scratch = { .huge_pages = true };
	struct weigher w = {
		.old = *l,
		.l = l,
		.kin = kin,
		.workers = workers,
		.calls = calls,
		.shares = workers_parts(workers),
	};
	int r;

	l->row_count += l->spender_count;
	l->spender_count = 0;
	l->spenders = NULL;
	r = weigh(&w, arena, &scratch);
	arena_release(&scratch);
	return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * See treelist.h.  Runs are gone through from the heaviest to the lightest, and
 * each entry of a run takes the next row of its kind: rows are in order then,
 * and where the next entry of the run goes is known at the same time.  Workers
 * take a share of the runs each; how many rows the shares before one's own will
 * take is counted first.  Lists by weight begin as such rows, too, with those
 * that spend something among them.
 */
#include "profile/treelist.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/workers.h"
#include "profile/runtree.h"
#include "profile/treelist_weigh.h"

/* A worker's. */
struct share {
	uint32_t *next;	  /* by node_id: the row of the next; before that is
			     known, how many rows there will be */
	node_id *path;	  /* the entries of the run at hand */
	uint32_t *places; /* and where they go */
	uint32_t spenders;
	uint64_t least; /* as in the list; all runs weigh more than 0 */
	WORKERS_APART;
};

struct lister {
	struct treelist *l;
	const struct runtree *t;
	const struct treelist_kin *kin;
	const struct workers *workers;
	struct arena *arena;   /* for the list */
	struct arena *scratch; /* for everything else */
	uint32_t *slots;       /* by run: where its call goes in calls */
	uint32_t *end_places;  /* by run, of spenders: as in tree_call */

	/* Those that weigh something, the heaviest first. */
	uint32_t *runs;
	uint32_t *weights; /* of each: index into the list's weights */
	node_id *ends;	   /* of each: its last entry */
	uint32_t run_count;

	/* By weight: places in runs of those that spend something, which are
	 * listed before others of their weight and name, the most first. */
	uint32_t *spenders;
	uint32_t spender_count;

	struct sort_item *items; /* for sorting, twice as many as runs */
	struct share share[WORKERS_MAX];
	uint32_t share_start[WORKERS_MAX + 1];	 /* of the runs in order */
	uint32_t spender_start[WORKERS_MAX + 1]; /* and of their spenders */
	unsigned shares;
};

/* The heaviest first; and back. */
static uint64_t weight_key(uint64_t weight)
{
	return UINT64_MAX - weight;
}

static int allocate(struct lister *x)
{
	uint32_t count = x->t->count;

	x->l->weights = ARENA_ARRAY(x->arena, uint64_t, count);
	x->l->first_call = ARENA_ARRAY(x->arena, uint32_t, (size_t)count + 2);
	x->l->to_turn = ARENA_ARRAY(x->arena, uint32_t, x->kin->nodes);
	x->l->kin_counts = ARENA_ARRAY(x->arena, uint32_t, x->kin->kinds);
	x->slots = ARENA_ARRAY(x->scratch, uint32_t, count);
	x->end_places = ARENA_ARRAY(x->scratch, uint32_t, count);
	x->runs = ARENA_ARRAY(x->scratch, uint32_t, count);
	x->weights = ARENA_ARRAY(x->scratch, uint32_t, count);
	x->ends = ARENA_ARRAY(x->scratch, node_id, count);
	x->items = ARENA_ARRAY(x->scratch, struct sort_item, 2 * (size_t)count);
	if (x->kin->by_weight)
		x->spenders = ARENA_ARRAY(x->scratch, uint32_t, count);
	return x->arena->failed || x->scratch->failed ? -ENOMEM : 0;
}

static void order_runs(struct lister *x)
{
	const struct runtree *t = x->t;
	struct treelist *l = x->l;

	for (uint32_t i = 1; i < t->count; i++) {
		uint64_t weight = t->weights[i];

		if (!weight)
			continue;
		x->items[x->run_count++] = (struct sort_item){
			weight_key(weight), i, t->runs[i].length
		};
	}
	sort_items(x->items, x->items + x->run_count, x->run_count);
	for (uint32_t i = 0; i < x->run_count; i++) {
		uint64_t weight = weight_key(x->items[i].key);

		if (!i || l->weights[l->weight_count - 1] != weight)
			l->weights[l->weight_count++] = weight;
		x->runs[i] = x->items[i].id;
		x->weights[i] = l->weight_count - 1;
	}
}

/* Whether a share may begin with a run.  By weight, those of one weight stay
 * together: what they spend is listed before all else. */
static bool may_begin(const struct lister *x, uint32_t i)
{
	return !x->kin->by_weight || !i || x->weights[i] != x->weights[i - 1];
}

/* So that all have about as many frames; items are still those of the runs. */
static void share_runs(struct lister *x)
{
	uint64_t all = 0, frames = 0;
	unsigned at = 1;

	x->shares = workers_parts(x->workers);
	for (uint32_t i = 0; i < x->run_count; i++)
		all += x->items[i].extra;
	for (uint32_t i = 0; i < x->run_count; i++) {
		while (at < x->shares && frames * x->shares > all * at &&
		       may_begin(x, i))
			x->share_start[at++] = i;
		frames += x->items[i].extra;
	}
	while (at <= x->shares)
		x->share_start[at++] = x->run_count;
}

/* By weight, then by what they spend. */
static void order_spenders(struct lister *x)
{
	struct sort_item *items = x->items;
	uint32_t count = 0;

	for (uint32_t i = 0; i < x->run_count; i++)
		if (x->t->own[x->runs[i]])
			items[count++] = (struct sort_item){
				weight_key(x->t->own[x->runs[i]]), i, 0
			};
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		items[i].key = x->weights[items[i].id];
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		x->spenders[i] = items[i].id;
	x->spender_count = count;
}

/* Those of a share's runs. */
static void share_spenders(struct lister *x)
{
	uint32_t at = 0;

	for (unsigned i = 0; i <= x->shares; i++) {
		while (at < x->spender_count &&
		       x->spenders[at] < x->share_start[i])
			at++;
		x->spender_start[i] = at;
	}
}

static int prepare_shares(struct lister *x)
{
	enum { MOST = 1 << 26 };
	uint64_t longest = runtree_longest(x->t);

	if (longest > MOST)
		return -ENOTSUP;
	share_runs(x);
	if (x->kin->by_weight) {
		order_spenders(x);
		share_spenders(x);
	}
	for (unsigned i = 0; i < x->shares; i++) {
		struct share *s = &x->share[i];

		s->next = ARENA_ARRAY(x->scratch, uint32_t, x->kin->nodes);
		s->path = ARENA_ARRAY(x->scratch, node_id, longest + 1);
		s->places = ARENA_ARRAY(x->scratch, uint32_t, longest + 1);
	}
	return x->scratch->failed ? -ENOMEM : 0;
}

/* Brings near what runs some places behind this one will need.  Always inlined,
 * because gcc drops calls of functions that do nothing but prefetch. */
__attribute__((always_inline)) static inline void ask_ahead(
	const struct lister *x, uint32_t at)
{
	enum { RUNS = 24, FRAMES = 12, LINE = 16, MOST = 48 };
	const struct stack_node *run;

	if (at + RUNS >= x->run_count)
		return;
	__builtin_prefetch(&x->t->runs[x->runs[at + RUNS]]);
	__builtin_prefetch(&x->t->own[x->runs[at + RUNS]]);
	run = &x->t->runs[x->runs[at + FRAMES]];
	for (uint32_t f = 0; f < run->length && f < MOST; f += LINE)
		__builtin_prefetch(&x->t->frames[run->first + f]);
}

static void note_least(struct share *s, uint64_t value)
{
	if (value && (!s->least || value < s->least))
		s->least = value;
}

/* How many rows the share's runs need of each entry. */
static void count_share(void *context, unsigned number)
{
	struct lister *x = context;
	struct share *s = &x->share[number];
	uint32_t end = x->share_start[number + 1];

	for (uint32_t i = x->share_start[number]; i < end; i++) {
		uint64_t own = x->t->own[x->runs[i]];
		uint64_t shown = x->t->own_shown[x->runs[i]];
		uint32_t count;

		ask_ahead(x, i);
		count = runtree_follow(x->t, x->runs[i], s->path);
		x->ends[i] = s->path[count - 1];
		count -= own != 0;
		for (uint32_t k = 0; k < count; k++)
			s->next[s->path[k]]++;
		s->spenders += own != 0;
		note_least(s, shown);
		if (count || !shown)
			note_least(s, x->t->shown[x->runs[i]]);
	}
	for (uint32_t i = x->spender_start[number];
	     i < x->spender_start[number + 1]; i++)
		s->next[x->ends[x->spenders[i]]]++;
}

static uint64_t rows_of(const struct lister *x, node_id entry)
{
	uint64_t rows = 0;

	for (unsigned i = 0; i < x->shares; i++)
		rows += x->share[i].next[entry];
	return rows;
}

/* Those that have rows, by name.  -ENOTSUP: two have the same. */
static int list_entries(struct lister *x)
{
	struct treelist *l = x->l;
	uint32_t count = x->kin->nodes;
	node_id *by_rank = ARENA_ARRAY(x->scratch, node_id, count);

	l->entries = ARENA_ARRAY(x->arena, node_id, count);
	l->starts = ARENA_ARRAY(x->arena, uint32_t, (size_t)count + 1);
	if (!by_rank || !l->entries || !l->starts)
		return -ENOMEM;
	for (node_id n = 1; n < count; n++) {
		if (!rows_of(x, n))
			continue;
		if (by_rank[x->kin->ranks[n]])
			return -ENOTSUP;
		by_rank[x->kin->ranks[n]] = n;
	}
	for (uint32_t i = 0; i < count; i++)
		if (by_rank[i])
			l->entries[l->entry_count++] = by_rank[i];
	return 0;
}

/* By what they spend, then by name, then by weight, as they are already. */
static void list_spenders(struct lister *x)
{
	struct treelist *l = x->l;
	struct sort_item *items = x->items;
	uint32_t count = 0;

	for (uint32_t i = 0; i < x->run_count; i++)
		if (x->t->own[x->runs[i]])
			items[count++] = (struct sort_item){
				x->kin->ranks[x->ends[i]], x->runs[i],
				x->ends[i]
			};
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		items[i].key = weight_key(x->t->own[items[i].id]);
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		l->spenders[i] = (struct tree_spender){
			x->t->own_shown[items[i].id], items[i].id,
			items[i].extra
		};
}

/* They are listed first, so are their turns. */
static void count_spenders(struct lister *x)
{
	struct treelist *l = x->l;

	for (uint32_t i = 0; i < l->spender_count; i++) {
		const struct tree_spender *s = &l->spenders[i];

		x->end_places[s->run] = l->kin_counts[x->kin->of[s->entry]]++;
	}
}

/* Where the first entry of each run goes among those of its parent. */
static void give_calls(struct lister *x)
{
	const struct stack_node *runs = x->t->runs;
	uint32_t *next = x->l->first_call + 1;

	for (uint32_t i = 0; i < x->run_count; i++)
		next[runs[x->runs[i]].parent + 1]++;
	for (uint32_t i = 0; i < x->t->count; i++)
		next[i + 1] += next[i];
	for (uint32_t i = 0; i < x->run_count; i++)
		x->slots[x->runs[i]] = next[runs[x->runs[i]].parent]++;
}

/* Two that have nothing to do with each other, at the same time. */
static void list_ends(void *context, unsigned number)
{
	struct lister *x = context;

	if (number == 0 && !x->kin->by_weight) {
		list_spenders(x);
		count_spenders(x);
	}
	if (number == 1 || x->shares == 1)
		give_calls(x);
}

static int make_room_for_ends(struct lister *x)
{
	struct treelist *l = x->l;

	for (unsigned i = 0; i < x->shares && !x->kin->by_weight; i++)
		l->spender_count += x->share[i].spenders;
	l->spenders = ARENA_ARRAY(x->arena, struct tree_spender,
				  l->spender_count);
	l->calls = ARENA_ARRAY(x->arena, struct tree_call, x->run_count);
	return l->spenders && l->calls ? 0 : -ENOMEM;
}

static uint8_t bits_for(uint64_t most)
{
	return (uint8_t)(64 - __builtin_clzll(most | 1));
}

/* Room for the rows, and how they are written.  Places are those of rows, or
 * numbers of runs; turns are fewer than there are nodes. */
static int make_room_for_rows(struct lister *x)
{
	struct treelist *l = x->l;
	/* By weight, these rows are not the last. */
	struct arena *arena = x->kin->by_weight ? x->scratch : x->arena;
	uint64_t most = (uint64_t)l->spender_count + l->row_count;

	if (most < x->t->count)
		most = x->t->count;
	l->place_bits = bits_for(most);
	l->callee_bits = bits_for(x->kin->nodes);
	if (l->place_bits + l->callee_bits + bits_for(l->weight_count) > 64)
		return -ENOTSUP;
	l->rows = ARENA_ARRAY(arena, uint64_t,
			      (size_t)l->row_count + TREELIST_AHEAD);
	return l->rows ? 0 : -ENOMEM;
}

/* From how many rows each share needs to where they are. */
static int give_rows(struct lister *x)
{
	struct treelist *l = x->l;
	uint64_t row = 0;

	for (uint32_t i = 0; i < l->entry_count; i++) {
		node_id entry = l->entries[i];
		uint32_t *count = &l->kin_counts[x->kin->of[entry]];

		l->starts[i] = (uint32_t)row;
		l->to_turn[entry] = *count - (uint32_t)row;
		*count += (uint32_t)rows_of(x, entry);
		for (unsigned s = 0; s < x->shares; s++) {
			uint32_t *next = &x->share[s].next[entry];
			uint32_t rows = *next;

			*next = (uint32_t)row;
			row += rows;
		}
	}
	if (row + l->spender_count + TREELIST_AHEAD > UINT32_MAX)
		return -ENOTSUP;
	l->starts[l->entry_count] = (uint32_t)row;
	l->row_count = (uint32_t)row;
	return make_room_for_rows(x);
}

/* A place of its entry's rows would be as far from the turn. */
static void place_spenders(struct lister *x)
{
	const struct treelist *l = x->l;

	for (uint32_t i = 0; i < l->spender_count; i++) {
		const struct tree_spender *s = &l->spenders[i];

		x->end_places[s->run] -= l->to_turn[s->entry];
	}
}

static uint64_t row_of(const struct treelist *l, const struct tree_call *c)
{
	uint64_t place = treelist_turn(l, c->place, 0);

	return ((uint64_t)c->weight << l->callee_bits | c->callee)
		       << l->place_bits |
	       place;
}

static void list_run(struct lister *x, struct share *s, uint32_t number)
{
	struct treelist *l = x->l;
	uint32_t run = x->runs[number], weight = x->weights[number];
	uint32_t count = runtree_follow(x->t, run, s->path);
	bool spends = x->t->own[run] != 0;
	uint32_t inside = count - spends;

	for (uint32_t k = 0; k < inside; k++) {
		s->places[k] = s->next[s->path[k]]++;
		__builtin_prefetch(&l->rows[s->places[k]], 1);
	}
	if (spends)
		s->places[inside] = x->end_places[run];
	else
		l->rows[s->places[--inside]] = row_of(
			l, &(struct tree_call){ weight, 0, run });
	l->calls[x->slots[run]] = (struct tree_call){ weight, s->path[0],
						      s->places[0] };
	for (uint32_t k = 0; k < inside; k++)
		l->rows[s->places[k]] = row_of(
			l, &(struct tree_call){ weight, s->path[k + 1],
						s->places[k + 1] });
}

/* The spenders of a weight, the next of which is given; returns the one behind
 * them. */
static uint32_t place_spenders_of(struct lister *x, struct share *s,
				  uint32_t next, uint32_t weight)
{
	for (;
	     next < x->spender_count && x->weights[x->spenders[next]] == weight;
	     next++) {
		uint32_t number = x->spenders[next], run = x->runs[number];
		uint32_t place = s->next[x->ends[number]]++;

		x->l->rows[place] = row_of(
			x->l, &(struct tree_call){ weight, 0, run });
		x->end_places[run] = place;
	}
	return next;
}

static void list_share(void *context, unsigned number)
{
	struct lister *x = context;
	struct share *s = &x->share[number];
	uint32_t spender = x->spender_start[number];
	uint32_t end = x->share_start[number + 1];

	for (uint32_t i = x->share_start[number]; i < end; i++) {
		ask_ahead(x, i);
		spender = place_spenders_of(x, s, spender, x->weights[i]);
		list_run(x, s, i);
	}
}

static uint64_t call_key(const struct lister *x, const struct tree_call *c)
{
	return (uint64_t)c->weight << 32 | x->kin->ranks[c->callee];
}

static void sort_many_calls(struct lister *x, struct tree_call *calls,
			    uint32_t count)
{
	struct sort_item *items = x->items;

	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ call_key(x, &calls[i]),
					       calls[i].callee,
					       calls[i].place };
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		calls[i] = (struct tree_call){ (uint32_t)(items[i].key >> 32),
					       items[i].id, items[i].extra };
}

static void sort_few_calls(struct lister *x, struct tree_call *calls,
			   uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct tree_call call = calls[i];
		uint64_t key = call_key(x, &call);
		uint32_t j = i;

		for (; j && key < call_key(x, &calls[j - 1]); j--)
			calls[j] = calls[j - 1];
		calls[j] = call;
	}
}

static void sort_calls(struct lister *x)
{
	enum { FEW = 16 };
	const struct treelist *l = x->l;

	for (uint32_t i = 0; i < x->t->count; i++) {
		struct tree_call *calls = l->calls + l->first_call[i];
		uint32_t count = l->first_call[i + 1] - l->first_call[i];

		if (count <= FEW)
			sort_few_calls(x, calls, count);
		else
			sort_many_calls(x, calls, count);
	}
}

/* What nodes spend, for who asks by run. */
static int keep_own(struct lister *x)
{
	uint64_t *own = ARENA_ARRAY(x->arena, uint64_t, x->t->count);

	if (!own)
		return -ENOMEM;
	memcpy(own, x->t->own_shown, x->t->count * sizeof(*own));
	x->l->own = own;
	return 0;
}

static void find_least(struct lister *x)
{
	struct share all = { 0 };

	for (unsigned i = 0; i < x->shares; i++)
		note_least(&all, x->share[i].least);
	x->l->least = all.least;
}

static int list(struct lister *x)
{
	int r = allocate(x);

	if (r < 0)
		return r;
	order_runs(x);
	r = prepare_shares(x);
	if (r < 0)
		return r;
	workers_run(x->workers, count_share, x);
	find_least(x);
	r = list_entries(x);
	if (r == 0)
		r = make_room_for_ends(x);
	if (r < 0)
		return r;
	workers_run(x->workers, list_ends, x);
	r = give_rows(x);
	if (r < 0)
		return r;
	place_spenders(x);
	workers_run(x->workers, list_share, x);
	sort_calls(x);
	if (!x->kin->by_weight)
		return 0;
	r = keep_own(x);
	return r < 0 ? r
		     : treelist_weigh(x->l, x->run_count, x->kin, x->workers,
				      x->arena);
}

int treelist_make(struct treelist *l, const struct runtree *t,
		  const struct treelist_kin *kin, const struct workers *workers,
		  struct arena *arena)
{
	struct arena scratch = { .huge_pages = true };
	struct lister x = {
		.l = l,
		.t = t,
		.kin = kin,
		.workers = workers,
		.arena = arena,
		.scratch = &scratch,
	};
	int r;

	*l = (struct treelist){ 0 };
	r = list(&x);
	arena_release(&scratch);
	return r;
}

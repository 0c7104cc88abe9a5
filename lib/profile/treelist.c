/* SPDX-License-Identifier: MIT */
/*
 * See treelist.h.  Runs are gone through from the heaviest to the lightest, and
 * each entry of a run takes the next row of its kind: rows are in order then,
 * and where the next entry of the run goes is known at the same time.  Workers
 * take a share of the runs each; how many rows the shares before one's own will
 * take is counted first.  Lists by weight begin as such rows, too
 * (treelist_weigh.h).
 */
#include "profile/treelist.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/workers.h"
#include "profile/graph.h"
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
	bool stopped;	/* before it was done */
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
	uint32_t *spends;  /* by weight: which of them the spenders end */
	uint32_t run_count;

	struct sort_item *items; /* for sorting, twice as many as runs */
	struct share share[WORKERS_MAX];
	uint32_t share_start[WORKERS_MAX + 1]; /* of the runs in order */
	unsigned shares;
};

/* The heaviest first; and back. */
static uint64_t weight_key(uint64_t weight)
{
	return UINT64_MAX - weight;
}

/* Whose the rows are, and who is in them: by weight, they are not the last. */
static struct arena *arena_of_rows(const struct lister *x)
{
	return x->kin->by_weight ? x->scratch : x->arena;
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
	x->spends = ARENA_ARRAY(x->scratch, uint32_t, count);
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

/* So that all have about as many frames; items are still those of the runs. */
static void share_runs(struct lister *x)
{
	uint64_t all = 0, frames = 0;
	unsigned at = 1;

	x->shares = workers_parts(x->workers);
	for (uint32_t i = 0; i < x->run_count; i++)
		all += x->items[i].extra;
	for (uint32_t i = 0; i < x->run_count; i++) {
		while (at < x->shares && frames * x->shares > all * at)
			x->share_start[at++] = i;
		frames += x->items[i].extra;
	}
	while (at <= x->shares)
		x->share_start[at++] = x->run_count;
}

static int prepare_shares(struct lister *x)
{
	enum { MOST = 1 << 26 };
	uint64_t longest = runtree_longest(x->t);

	if (longest > MOST)
		return -ENOTSUP;
	share_runs(x);
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
	__builtin_prefetch(&x->t->shown[x->runs[at + RUNS]]);
	run = &x->t->runs[x->runs[at + FRAMES]];
	for (uint32_t f = 0; f < run->length && f < MOST; f += LINE)
		__builtin_prefetch(&x->t->frames[run->first + f]);
}

/* Asks, now and then, whether a share is to be gone through any further. */
static bool may_go_on(const struct lister *x, struct share *s, uint32_t at)
{
	enum { ASK_EVERY = 4096 };

	if (at % ASK_EVERY == 0 && !graph_pacer_ask(x->kin->pacer))
		s->stopped = true;
	return !s->stopped;
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

	for (uint32_t i = x->share_start[number]; i < end && may_go_on(x, s, i);
	     i++) {
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
}

static uint64_t rows_of(const struct lister *x, node_id entry)
{
	uint64_t rows = 0;

	for (unsigned i = 0; i < x->shares; i++)
		rows += x->share[i].next[entry];
	return rows;
}

/* -ENOTSUP: there is another of its name. */
static int add_by_rank(const struct lister *x, node_id *by_rank, node_id entry)
{
	node_id *place = &by_rank[x->kin->ranks[entry]];

	if (*place && *place != entry)
		return -ENOTSUP;
	*place = entry;
	return 0;
}

/* Those that have rows, by name; by weight, spenders have some, too. */
static int rank_entries(const struct lister *x, node_id *by_rank)
{
	const struct treelist *l = x->l;
	int r = 0;

	for (node_id n = 1; n < x->kin->nodes && r == 0; n++)
		if (rows_of(x, n))
			r = add_by_rank(x, by_rank, n);
	for (uint32_t i = 0;
	     i < l->spender_count && x->kin->by_weight && r == 0; i++)
		r = add_by_rank(x, by_rank, l->spenders[i].entry);
	return r;
}

static int list_entries(struct lister *x)
{
	struct treelist *l = x->l;
	uint32_t count = x->kin->nodes;
	node_id *by_rank = ARENA_ARRAY(x->scratch, node_id, count);
	int r;

	l->entries = ARENA_ARRAY(arena_of_rows(x), node_id, count);
	l->starts = ARENA_ARRAY(arena_of_rows(x), uint32_t, (size_t)count + 1);
	if (!by_rank || !l->entries || !l->starts)
		return -ENOMEM;
	r = rank_entries(x, by_rank);
	for (uint32_t i = 0; i < count && r == 0; i++)
		if (by_rank[i])
			l->entries[l->entry_count++] = by_rank[i];
	return r;
}

/* Of a run's end: what it spends, what it weighs, its name. */
typedef uint64_t end_key(const struct lister *x, uint32_t number);

static uint64_t key_by_own(const struct lister *x, uint32_t number)
{
	return weight_key(x->t->own[x->runs[number]]);
}

static uint64_t key_by_weight(const struct lister *x, uint32_t number)
{
	return x->weights[number];
}

static uint64_t key_by_name(const struct lister *x, uint32_t number)
{
	return x->kin->ranks[x->ends[number]];
}

static void sort_ends(struct lister *x, end_key *key)
{
	uint32_t count = x->l->spender_count;

	for (uint32_t i = 0; i < count; i++)
		x->items[i].key = key(x, x->items[i].id);
	sort_items(x->items, x->items + count, count);
}

/* By what they spend, then by name, then by weight, as they are already.  If
 * all are to be listed by weight: by name, weight, and what they spend. */
static void list_spenders(struct lister *x)
{
	static end_key *const by_own[] = { key_by_name, key_by_own, NULL };
	static end_key *const by_weight[] = { key_by_own, key_by_weight,
					      key_by_name, NULL };
	end_key *const *key = x->kin->by_weight ? by_weight : by_own;
	struct treelist *l = x->l;
	uint32_t count = 0;

	for (uint32_t i = 0; i < x->run_count; i++)
		if (x->t->own[x->runs[i]])
			x->items[count++].id = i;
	for (; *key; key++)
		sort_ends(x, *key);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = x->items[i].id;
		uint32_t run = x->runs[number];

		x->spends[i] = number;
		l->spenders[i] = (struct tree_spender){ x->t->own_shown[run],
							run, x->ends[number] };
	}
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

	if (number == 0) {
		list_spenders(x);
		count_spenders(x);
	}
	if (number == 1 || x->shares == 1)
		give_calls(x);
}

static int make_room_for_ends(struct lister *x)
{
	struct treelist *l = x->l;

	for (unsigned i = 0; i < x->shares; i++)
		l->spender_count += x->share[i].spenders;
	l->spenders = ARENA_ARRAY(arena_of_rows(x), struct tree_spender,
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
	uint64_t nodes = (uint64_t)l->spender_count + l->row_count;

	l->place_bits = bits_for(nodes > x->t->count ? nodes : x->t->count);
	l->callee_bits = bits_for(x->kin->nodes);
	if (l->place_bits + l->callee_bits + bits_for(l->weight_count) > 64)
		return -ENOTSUP;
	if (!x->kin->by_weight)
		nodes = l->row_count;
	l->rows = ARENA_ARRAY(arena_of_rows(x), uint64_t,
			      nodes + TREELIST_AHEAD);
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

static uint64_t row_of(const struct treelist *l, const struct tree_call *c)
{
	uint64_t place = treelist_turn(l, c->place, 0);

	return ((uint64_t)c->weight << l->callee_bits | c->callee)
		       << l->place_bits |
	       place;
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

/* By weight, they have rows of their own, behind all others for now. */
static void add_spender_rows(struct lister *x)
{
	struct treelist *l = x->l;

	for (uint32_t i = 0; i < l->spender_count; i++) {
		uint32_t place = l->row_count + i, run = l->spenders[i].run;

		x->end_places[run] = place;
		l->rows[place] = row_of(
			l, &(struct tree_call){ x->weights[x->spends[i]], 0,
						run });
	}
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

static void list_share(void *context, unsigned number)
{
	struct lister *x = context;
	struct share *s = &x->share[number];
	uint32_t end = x->share_start[number + 1];

	for (uint32_t i = x->share_start[number]; i < end && may_go_on(x, s, i);
	     i++) {
		ask_ahead(x, i);
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

/* From rows by name to those by weight; what nodes spend is told by run. */
static int weigh(struct lister *x)
{
	uint64_t *own = ARENA_ARRAY(x->arena, uint64_t, x->t->count);

	if (!own)
		return -ENOMEM;
	memcpy(own, x->t->own_shown, x->t->count * sizeof(*own));
	x->l->own = own;
	return treelist_weigh(x->l, x->run_count, x->kin, x->workers, x->arena);
}

static void find_least(struct lister *x)
{
	struct share all = { 0 };

	for (unsigned i = 0; i < x->shares; i++)
		note_least(&all, x->share[i].least);
	x->l->least = all.least;
}

/* All shares of something.  Returns 0 or -ECANCELED. */
static int work(struct lister *x, workers_job *job)
{
	bool stopped = !graph_pacer_ask(x->kin->pacer);

	if (!stopped)
		workers_run(x->workers, job, x);
	for (unsigned i = 0; i < x->shares; i++)
		stopped |= x->share[i].stopped;
	return stopped ? -ECANCELED : 0;
}

/* Where rows, spenders and calls go. */
static int plan(struct lister *x)
{
	int r = allocate(x);

	if (r < 0)
		return r;
	order_runs(x);
	r = prepare_shares(x);
	if (r == 0)
		r = work(x, count_share);
	if (r == 0)
		r = make_room_for_ends(x);
	if (r == 0)
		r = work(x, list_ends);
	if (r == 0)
		r = list_entries(x);
	return r < 0 ? r : give_rows(x);
}

static int list(struct lister *x)
{
	int r = plan(x);

	if (r < 0)
		return r;
	find_least(x);
	if (x->kin->by_weight)
		add_spender_rows(x);
	else
		place_spenders(x);
	r = work(x, list_share);
	if (r < 0)
		return r;
	sort_calls(x);
	return x->kin->by_weight ? weigh(x) : 0;
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

/* SPDX-License-Identifier: MIT */
/*
 * See ahead.h.  All that could touch what the prompt changes is done before the
 * thread starts: contexts are made, file names interned, known nodes copied,
 * and the table of strings, which grows while reports are written, is copied as
 * it is then (the texts themselves never move).  From there on both only read
 * the profile.
 */
#include "report/ahead.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/workers.h"
#include "profile/order.h"
#include "report/graphview.h"
#include "report/memo.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/selection.h"
#include "report/team.h"

enum {
	EDGES_FOR_RUN = 2, /* of a graph that nobody has asked for */
};

enum state {
	COMING,
	READY,
	GONE,	 /* taken, or it could not be made */
	UNASKED, /* there is no need, or it comes with another */
};

/* An entry on its way to the memo. */
struct parcel {
	struct memo_entry *entry;
	enum state state;
};

struct task {
	struct report_request request;
	struct report_context context;
	struct graph_view view;
	struct memo_question question;
	uint64_t key;
	struct memo_entry *started; /* NULL: it is in the memo */
	struct parcel nodes;	    /* what they spend */
	struct parcel whole;	    /* with the whole graph */
};

static const struct {
	const struct report *report;
	struct graph_wish wish;
	bool nodes; /* alone are of use to others */
	bool whole; /* graph is wanted */
} plans[] = {
	/* First what most questions are about. */
	{ &report_peek, { .edges = true }, true, true },
	{ &report_callgrind,
	  { .objects = true,
	    .tree_allowed = true,
	    .edges = true,
	    .callees_only = true,
	    .lists_trees = true },
	  false,
	  true },
	{ &report_list, { .objects = true }, true, false },
};

struct ahead {
	struct arena arena; /* this, too, is in it */
	struct view asked;
	struct strtab strings;
	struct task tasks[ARRAY_SIZE(plans)];
	struct memo_weights weights; /* that they have in common */
	pthread_t thread;
	struct graph_pacer pacer;
	struct task *current;	       /* changed by the thread alone */
	_Atomic(struct task *) wanted; /* somebody waits for it; or NULL */
	const struct parcel *awaited;  /* which of its parcels */
	atomic_bool stop;
	atomic_bool held;     /* somebody else needs the processors */
	pthread_mutex_t lock; /* of the parcels, and to set the three */
	pthread_cond_t changed;
};

static void wait_while_held(struct ahead *a)
{
	if (!atomic_load(&a->held))
		return;
	pthread_mutex_lock(&a->lock);
	while (atomic_load(&a->held) && !atomic_load(&a->stop))
		pthread_cond_wait(&a->changed, &a->lock);
	pthread_mutex_unlock(&a->lock);
}

/* For the pacer: what nobody waits for makes room for what somebody does. */
static bool go_on(void *context)
{
	struct ahead *a = context;
	struct task *wanted;

	wait_while_held(a);
	wanted = atomic_load(&a->wanted);
	return !atomic_load(&a->stop) && (!wanted || wanted == a->current);
}

static void set(struct ahead *a, atomic_bool *what, bool to)
{
	pthread_mutex_lock(&a->lock);
	atomic_store(what, to);
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

static void deliver(struct ahead *a, struct parcel *p, struct memo_entry *entry)
{
	pthread_mutex_lock(&a->lock);
	p->entry = entry;
	p->state = entry ? READY : GONE;
	if (a->awaited == p)
		atomic_store(&a->wanted, NULL);
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

/* Whether r says no more than that it was not the time for it. */
static bool is_put_off(struct ahead *a, int r)
{
	return r == -ECANCELED && !atomic_load(&a->stop);
}

/* The entry, if r tells that it could be made. */
static struct memo_entry *if_made(struct memo_entry *e, int r)
{
	if (r == 0)
		return e;
	memo_entry_release(e);
	return NULL;
}

static void make_nodes(struct ahead *a, struct task *t)
{
	struct memo_entry *e = t->started;
	int r = memo_entry_add_nodes(e, &t->question);

	if (is_put_off(a, r))
		return;
	t->started = if_made(e, r);
	/* Whoever takes what is delivered may release it at any time. */
	deliver(a, &t->nodes, t->started ? memo_entry_copy(e) : NULL);
}

static void make_whole(struct ahead *a, struct task *t)
{
	struct memo_entry *e = t->started;
	int r = e ? memo_entry_add_trail(e, &t->question) : -ENOMEM;

	if (r == 0)
		r = memo_entry_add_whole(e, &t->question);
	if (is_put_off(a, r))
		return;
	t->started = NULL;
	deliver(a, &t->whole, e ? if_made(e, r) : NULL);
}

static bool has_more(const struct task *t)
{
	return t->nodes.state == COMING || t->whole.state == COMING;
}

/* Of what is wanted, else of the first that is not done, what comes next; NULL:
 * all is done. */
static const struct parcel *next_parcel(struct ahead *a)
{
	const struct parcel *p = NULL;
	struct task *t;

	pthread_mutex_lock(&a->lock);
	t = atomic_load(&a->wanted);
	for (size_t i = 0; i < ARRAY_SIZE(plans) && !t; i++)
		if (has_more(&a->tasks[i]))
			t = &a->tasks[i];
	a->current = t;
	if (t)
		p = t->nodes.state == COMING ? &t->nodes : &t->whole;
	pthread_mutex_unlock(&a->lock);
	return p;
}

/* Unless it is done.  All tasks are about the same value. */
static void weigh(struct ahead *a)
{
	if (!a->weights.in)
		a->weights = memo_weights_make(&a->tasks[0].view.request);
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
		a->tasks[i].question.weights = &a->weights;
}

/* The nodes of whole graphs that are wanted.  What fails is tried again. */
static void make_tables(struct ahead *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct task *t = &a->tasks[i];

		if (t->started && plans[i].whole)
			(void)memo_entry_add_nodetab(t->started, &t->question);
	}
}

/* What one thread does alone, two do at the same time. */
static void begin_part(void *context, unsigned number)
{
	if (number == 0)
		weigh(context);
	if (number == 1)
		make_tables(context);
}

static void *work(void *context)
{
	struct ahead *a = context;
	const struct parcel *p;

	workers_run(a->tasks[0].view.request.workers, begin_part, a);
	while (!atomic_load(&a->stop) && (p = next_parcel(a))) {
		wait_while_held(a);
		if (p == &a->current->nodes)
			make_nodes(a, a->current);
		else
			make_whole(a, a->current);
	}
	return NULL;
}

/*
 * A graph is as large as the stacks are different.  Few are larger than the
 * profile itself, but where nothing is shared it is by far.
 */
static uint32_t most_edges(const struct stack_order *order)
{
	return order->count < UINT32_MAX / EDGES_FOR_RUN
		       ? order->count * EDGES_FOR_RUN
		       : UINT32_MAX;
}

/* What the prompt will ask for, as if it did. */
static int describe(struct ahead *a, struct task *t, size_t plan,
		    struct selections *s, const struct profile *p)
{
	struct error err;
	int r;

	t->request = (struct report_request){
		.report = plans[plan].report,
		.profile = p,
		.view = &a->asked,
		.selections = s,
	};
	r = context_make(&t->context, &a->arena, &t->request, &err);
	if (r == 0)
		r = t->context.memo ? 0 : -ENOTSUP;
	if (r == 0)
		r = graph_view_describe(&t->view, &t->context,
					&plans[plan].wish);
	if (r < 0)
		return r;
	t->view.request.pacer = &a->pacer;
	t->view.request.most_edges = most_edges(t->view.request.order);
	t->question = (struct memo_question){
		.context = &t->context,
		.nodes = &t->view.options,
		.request = &t->view.request,
		.trim = &t->view.trim,
		.lists_trees = plans[plan].wish.lists_trees,
	};
	t->key = memo_key(&t->question);
	return 0;
}

/* Whether there is nothing more to be made of it. */
static bool is_done(const struct memo_entry *e, const struct memo_question *q)
{
	if (memo_wants_tree(q))
		return memo_has_whole(e, q);
	return e->whole_kind || e->whole_too_large;
}

/* Finds out what of a task is not in the memo yet.  Returns 0 or -ENOMEM. */
static int plan_work(struct task *t, bool nodes, bool whole)
{
	const struct memo_entry *known = memo_find(t->context.memo, t->key);

	if (known && is_done(known, &t->question))
		whole = false;
	t->nodes.state = known ? GONE : nodes ? COMING : UNASKED;
	t->whole.state = whole ? COMING : UNASKED;
	if (!has_more(t))
		return 0;
	t->started = known ? memo_entry_copy(known)
			   : memo_entry_start(&t->question);
	return t->started ? 0 : -ENOMEM;
}

static int copy_strings(struct ahead *a, const struct strtab *from)
{
	size_t count = from->strings.count;

	a->strings.strings.at = ARENA_ARRAY(&a->arena, struct str, count);
	if (!a->strings.strings.at)
		return -ENOMEM;
	memcpy(a->strings.strings.at, from->strings.at,
	       count * sizeof(*from->strings.at));
	a->strings.strings.count = from->strings.count;
	return 0;
}

static void take_weights(struct ahead *a)
{
	const struct report_context *c = &a->tasks[0].context;
	const struct memo_weights *known = memo_find_weights(c->memo, c->value);

	if (!known)
		return;
	a->weights = *known;
	shared_arena_use(known->in);
}

/* Whether what nodes spend is found out before the graph, or without: most
 * questions are answered by that. */
static bool are_nodes_first(size_t plan, bool nodes_first)
{
	return plans[plan].nodes && (nodes_first || !plans[plan].whole);
}

static int prepare(struct ahead *a, struct selections *s,
		   const struct profile *p, bool nodes_first)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(plans) && r == 0; i++) {
		r = describe(a, &a->tasks[i], i, s, p);
		if (r == 0)
			r = plan_work(&a->tasks[i],
				      are_nodes_first(i, nodes_first),
				      plans[i].whole);
	}
	if (r == 0)
		take_weights(a);
	if (r == 0)
		r = copy_strings(a, p->strings);
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
		a->tasks[i].context.profile.strings = &a->strings;
	return r;
}

static bool has_work(const struct ahead *a)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
		any |= a->tasks[i].started != NULL;
	return any;
}

/* Signals are the prompt's. */
static int start(struct ahead *a)
{
	sigset_t all, before;
	int r;

	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&a->thread, NULL, work, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

static void end_work(struct ahead *a)
{
	set(a, &a->stop, true);
	pthread_join(a->thread, NULL);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
}

static void release(struct ahead *a)
{
	struct arena arena = a->arena;

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct task *t = &a->tasks[i];

		memo_entry_release(t->started);
		memo_entry_release(t->nodes.entry);
		memo_entry_release(t->whole.entry);
		context_release(&t->context);
	}
	shared_arena_leave(a->weights.in);
	arena_release(&arena);
}

/* Moves to the memo what is ready and nobody has asked for yet. */
static void hand_over(struct ahead *a, struct report_memo *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct task *t = &a->tasks[i];
		struct parcel *best = t->whole.entry ? &t->whole : &t->nodes;

		if (!best->entry)
			continue;
		if (best == &t->nodes && memo_find(m, t->key))
			continue; /* which may have more */
		memo_keep(m, best->entry);
		*best = (struct parcel){ .state = GONE };
	}
}

/* One at a time: more would be in each other's way. */
static void stop_others(struct selections *s)
{
	for (unsigned i = 0; i < SELECTIONS; i++) {
		struct report_memo *m = s->at[i] ? &s->at[i]->memo : NULL;

		if (!m || !m->ahead)
			continue;
		end_work(m->ahead);
		hand_over(m->ahead, m);
		release(m->ahead);
		m->ahead = NULL;
	}
}

struct ahead *ahead_start(struct selections *s, const struct profile *p,
			  const struct view *view, bool nodes_first)
{
	const struct stack_order *order = stack_order_of(&p->stacks);
	struct arena arena = { 0 };
	struct ahead *a;

	/* With one processor it would be in the way. */
	if (!order || !team_for(order->count))
		return NULL;
	stop_others(s);
	a = ARENA_NEW(&arena, struct ahead);
	if (!a)
		return NULL;
	a->arena = arena;
	a->asked = *view;
	a->pacer = (struct graph_pacer){ go_on, a };
	if (prepare(a, s, p, nodes_first) == 0 && has_work(a) &&
	    start(a) == 0) {
		a->tasks[0].context.memo->ahead = a;
		return a;
	}
	release(a);
	return NULL;
}

const struct profile *ahead_profile(const struct ahead *a)
{
	return a ? &a->tasks[0].context.profile : NULL;
}

static struct task *find(struct ahead *a, uint64_t key)
{
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
		if (a->tasks[i].key == key)
			return &a->tasks[i];
	return NULL;
}

/* Once it has come, for which nothing may hold it up. */
static struct memo_entry *take_parcel(struct ahead *a, struct task *t,
				      struct parcel *p)
{
	struct memo_entry *entry;
	bool held = atomic_load(&a->held);

	if (p->state == COMING) {
		a->awaited = p;
		atomic_store(&a->wanted, t);
		atomic_store(&a->held, false);
		pthread_cond_broadcast(&a->changed);
	}
	while (p->state == COMING)
		pthread_cond_wait(&a->changed, &a->lock);
	atomic_store(&a->held, held);
	entry = p->entry;
	*p = (struct parcel){ .state = GONE };
	return entry;
}

/* Whether who needs no more than nodes would wait for a graph that is not begun
 * yet. */
static bool are_nodes_sooner(const struct ahead *a, const struct task *t)
{
	return t->nodes.state == UNASKED && t->whole.state == COMING &&
	       a->current != t;
}

struct memo_entry *ahead_take(struct ahead *a, uint64_t key, bool whole)
{
	struct task *t = a ? find(a, key) : NULL;
	struct memo_entry *entry;

	if (!t)
		return NULL;
	pthread_mutex_lock(&a->lock);
	if (!whole && are_nodes_sooner(a, t))
		t->nodes.state = COMING;
	if (whole || t->whole.state == READY || t->nodes.state == UNASKED)
		entry = take_parcel(a, t, &t->whole);
	else
		entry = take_parcel(a, t, &t->nodes);
	pthread_mutex_unlock(&a->lock);
	return entry;
}

static bool is_coming(const struct ahead *a)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
		any |= has_more(&a->tasks[i]);
	return any;
}

bool ahead_settle(struct ahead *a, const struct timespec *until)
{
	int r = 0;

	if (!a)
		return true;
	pthread_mutex_lock(&a->lock);
	while (is_coming(a) && r == 0)
		r = pthread_cond_clockwait(&a->changed, &a->lock,
					   CLOCK_MONOTONIC, until);
	pthread_mutex_unlock(&a->lock);
	return r == 0;
}

void ahead_hold(struct selections *s, bool hold)
{
	for (unsigned i = 0; i < SELECTIONS; i++) {
		struct report_memo *m = s->at[i] ? &s->at[i]->memo : NULL;

		if (!m || !m->ahead)
			continue;
		set(m->ahead, &m->ahead->held, hold);
		pthread_mutex_lock(&m->ahead->lock);
		hand_over(m->ahead, m);
		pthread_mutex_unlock(&m->ahead->lock);
	}
}

void ahead_stop(struct ahead *a)
{
	if (!a)
		return;
	end_work(a);
	release(a);
}

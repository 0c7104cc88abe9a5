/* SPDX-License-Identifier: MIT */
/*
 * See ahead.h.  All that could touch what the prompt changes is done before the
 * thread starts: contexts are made, file names interned, and the table of
 * strings, which grows while reports are written, is copied as it is then (the
 * texts themselves never move).  From there on both only read the profile.
 */
#include "report/ahead.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "profile/order.h"
#include "report/graphview.h"
#include "report/memo.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/team.h"

enum {
	NICE = 10,	   /* the person at the prompt comes first */
	EDGES_FOR_RUN = 2, /* of a graph that nobody has asked for */
	MOST_SECONDS = 4,  /* that a person waits for what may be no use */
};

enum state {
	COMING,
	READY,
	GONE, /* taken, or it could not be made */
};

struct task {
	struct report_request request;
	struct report_context context;
	struct graph_view view;
	struct memo_question question;
	uint64_t key;
	enum state state;
	struct memo_entry *entry; /* when it is ready */
};

static const struct {
	const struct report *report;
	struct graph_wish wish;
} plans[] = {
	/* First what most questions are about. */
	{ &report_peek, { .edges = true } },
	{ &report_callgrind,
	  { .objects = true, .edges = true, .callees_only = true } },
};

struct ahead {
	struct arena arena; /* this, too, is in it */
	struct view asked;
	struct profile profile;
	struct strtab strings;
	struct task tasks[ARRAY_SIZE(plans)];
	pthread_t thread;
	atomic_bool stop;
	pthread_mutex_t lock; /* of what tasks have come to */
	pthread_cond_t changed;
};

static void finish(struct ahead *a, struct task *t, struct memo_entry *entry)
{
	pthread_mutex_lock(&a->lock);
	t->entry = entry;
	t->state = entry ? READY : GONE;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

static void *work(void *context)
{
	struct ahead *a = context;

	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); /* if it can */
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct task *t = &a->tasks[i];

		finish(a, t,
		       atomic_load(&a->stop) ? NULL
					     : memo_entry_make(&t->question));
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
		    const struct profile *p)
{
	struct error err;
	int r;

	t->request = (struct report_request){
		.report = plans[plan].report,
		.profile = p,
		.view = &a->asked,
	};
	r = context_make(&t->context, &a->arena, &t->request, &err);
	if (r == 0)
		r = memo_is_about(&t->context) ? 0 : -ENOTSUP;
	if (r == 0)
		r = graph_view_describe(&t->view, &t->context,
					&plans[plan].wish);
	if (r < 0)
		return r;
	t->view.request.stop = &a->stop;
	t->view.request.most_edges = most_edges(t->view.request.order);
	t->question = (struct memo_question){
		.context = &t->context,
		.nodes = &t->view.options,
		.request = &t->view.request,
		.trim = &t->view.trim,
	};
	t->key = memo_key(&t->question);
	return 0;
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

static int prepare(struct ahead *a, const struct profile *p)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(plans) && r == 0; i++)
		r = describe(a, &a->tasks[i], i, p);
	if (r == 0)
		r = copy_strings(a, p->strings);
	a->profile = *p;
	a->profile.strings = &a->strings;
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		a->tasks[i].request.profile = &a->profile;
		a->tasks[i].context.profile.strings = &a->strings;
	}
	return r;
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

static void release(struct ahead *a)
{
	struct arena arena = a->arena;

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		memo_entry_release(a->tasks[i].entry);
		context_release(&a->tasks[i].context);
	}
	arena_release(&arena);
}

struct ahead *ahead_start(const struct profile *p, const struct view *view)
{
	const struct stack_order *order = stack_order_of(&p->stacks);
	struct arena arena = { 0 };
	struct ahead *a;

	/* With one processor it would be in the way. */
	if (!order || !team_for(order->count))
		return NULL;
	a = ARENA_NEW(&arena, struct ahead);
	if (!a)
		return NULL;
	a->arena = arena;
	a->asked = view_of_everything(view);
	if (prepare(a, p) == 0 && start(a) == 0)
		return a;
	release(a);
	return NULL;
}

static struct task *find(struct ahead *a, uint64_t key)
{
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
		if (a->tasks[i].key == key)
			return &a->tasks[i];
	return NULL;
}

struct memo_entry *ahead_take(struct ahead *a, uint64_t key, bool wait)
{
	struct task *t = a ? find(a, key) : NULL;
	struct memo_entry *entry;

	if (!t)
		return NULL;
	pthread_mutex_lock(&a->lock);
	while (wait && t->state == COMING)
		pthread_cond_wait(&a->changed, &a->lock);
	entry = t->entry;
	t->entry = NULL;
	if (entry)
		t->state = GONE;
	pthread_mutex_unlock(&a->lock);
	return entry;
}

void ahead_settle(struct ahead *a)
{
	struct timespec until;
	int r = 0;

	if (!a)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += MOST_SECONDS;
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
		while (a->tasks[i].state == COMING && r == 0)
			r = pthread_cond_clockwait(&a->changed, &a->lock,
						   CLOCK_MONOTONIC, &until);
	pthread_mutex_unlock(&a->lock);
}

void ahead_stop(struct ahead *a)
{
	if (!a)
		return;
	atomic_store(&a->stop, true);
	pthread_join(a->thread, NULL);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	release(a);
}

/* SPDX-License-Identifier: MIT */
/*
 * Loading many sources.  A server may take half a minute to measure, so all
 * are asked at once; files are read by as many threads as there are CPUs.  At
 * most BATCH profiles are in memory before they are added up.
 */
#include "pprof/inputs.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/workers.h"
#include "pprof/arguments.h"
#include "pprof/input.h"
#include "profile/merge.h"
#include "profile/scale.h"
#include "term/message.h"

#define BATCH 128

/* Work that threads take from. */
struct queue {
	const struct arguments *arguments;
	struct input *sources;
	unsigned count;
	atomic_uint next; /* each index is taken by one thread */
};

static void *work(void *arg)
{
	struct queue *q = arg;

	for (;;) {
		/* Relaxed: the index is all that is shared; joining the thread
		 * publishes what it loaded. */
		unsigned i = atomic_fetch_add_explicit(&q->next, 1,
						       memory_order_relaxed);

		if (i >= q->count)
			return NULL;
		input_load(&q->sources[i], q->arguments);
	}
}

/* A guess, to choose the number of threads by. */
static bool may_wait(const struct input *s)
{
	return strchr(s->name, ':') && access(s->name, F_OK) < 0;
}

static unsigned thread_count(const struct queue *q)
{
	unsigned cpus = workers_useful();

	for (unsigned i = 0; i < q->count; i++)
		if (may_wait(&q->sources[i]))
			return q->count;
	return cpus < q->count ? cpus : q->count;
}

static void load_batch(struct queue *q)
{
	pthread_t threads[BATCH];
	unsigned started = 0;
	unsigned wanted = thread_count(q);

	while (started + 1 < wanted &&
	       !pthread_create(&threads[started], NULL, work, q))
		started++;
	/* This thread works too, so that one source needs no other, and all
	 * get done if none could be started. */
	work(q);
	while (started)
		pthread_join(threads[--started], NULL);
}

int profiles_combine(struct profile *const *profiles, unsigned count,
		     struct held_profile *out, struct profile **ret,
		     struct error *err)
{
	int r = profile_compatible_types(profiles, count, err);

	if (r < 0)
		return r;
	*ret = profiles[0];
	if (count == 1)
		return 0;
	r = profile_init(&out->profile, &out->arena);
	if (r < 0)
		return error_set(err, r, "out of memory");
	r = profile_merge(&out->profile,
			  (const struct profile *const *)profiles, count, err);
	if (r < 0) {
		arena_release(&out->arena);
		return r;
	}
	*ret = &out->profile;
	return 0;
}

/* Takes the profile of a source, or says why there is none. */
static int take(struct input_set *set, struct input *s, struct profile **list,
		unsigned *count)
{
	if (s->result < 0) {
		if (set->count > 1)
			message("%s", s->err.text);
		return 0;
	}
	set->loaded++;
	set->remote |= s->remote;
	list[(*count)++] = &s->profile;
	return s->remote ? origins_add(&set->origins, s) : 0;
}

/* Adds what was just loaded to what there is. */
static int add_batch(struct input_set *set, struct input *sources,
		     unsigned count, struct error *err)
{
	struct profile *list[BATCH + 1];
	struct held_profile *out = ARENA_NEW(&set->arena, struct held_profile);
	unsigned listed = 0;
	int r = out ? 0 : -ENOMEM;

	if (set->profile)
		list[listed++] = set->profile;
	for (unsigned i = 0; i < count && r == 0; i++)
		r = take(set, &sources[i], list, &listed);
	if (r < 0)
		return error_set(err, r, "out of memory");
	if (!listed)
		return 0;
	r = profiles_combine(list, listed, out, &set->profile, err);
	if (r < 0 || listed == 1)
		return r;
	if (set->merged)
		arena_release(&set->merged->arena);
	set->merged = out;
	for (unsigned i = 0; i < count; i++)
		input_drop_profile(&sources[i]);
	return 0;
}

static int load_all(struct input_set *set, const struct arguments *a,
		    struct error *err)
{
	for (unsigned at = 0; at < set->count; at += BATCH) {
		unsigned left = set->count - at;
		struct queue q = {
			.arguments = a,
			.sources = set->sources + at,
			.count = left < BATCH ? left : BATCH,
		};
		int r;

		load_batch(&q);
		r = add_batch(set, q.sources, q.count, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int input_set_load(struct input_set *set, const struct arguments *a,
		   const char *const *names, unsigned count, struct error *err)
{
	int r;

	set->sources = ARENA_ARRAY(&set->arena, struct input, count);
	if (!set->sources)
		return error_set(err, -ENOMEM, "out of memory");
	set->count = count;
	set->origins.arena = &set->arena;
	for (unsigned i = 0; i < count; i++)
		set->sources[i].name = names[i];

	r = load_all(set, a, err);
	if (r < 0)
		return r;
	if (set->profile)
		return 0;
	if (count > 1)
		return error_set(err, -ENODATA,
				 "none of the %u profiles could be read",
				 count);
	*err = set->sources[0].err;
	return set->sources[0].result;
}

void input_set_release(struct input_set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		input_release(&set->sources[i]);
	if (set->merged)
		arena_release(&set->merged->arena);
	arena_release(&set->arena);
	*set = (struct input_set){ 0 };
}

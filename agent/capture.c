/* SPDX-License-Identifier: MIT */
/* See capture.h: the calls that others make, each a request to the sampler. */
#include "agent/capture.h"

#include <errno.h>
#include <sys/mman.h>

#include "agent/arm.h"
#include "agent/intake.h"
#include "agent/names.h"
#include "agent/sampler.h"
#include "agent/state.h"
#include "base/error.h"

/* A capture's own memory: it outlives the arena that it fills. */
static struct capture *new_capture(void)
{
	void *p = mmap(NULL, sizeof(struct capture), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void free_capture(struct capture *c)
{
	arena_release(&c->arena);
	munmap(c, sizeof(*c));
}

static int ask(enum request_kind kind, struct capture *c)
{
	struct request r = { .kind = kind, .capture = c };

	return sampler_ask(&r);
}

static int say_why(int r, struct error *err)
{
	if (r == -EBUSY)
		return error_set(err, r,
				 "cannot sample: this program uses every "
				 "signal that could be taken");
	return error_set_errno(err, r, "cannot sample this process");
}

int capture_begin(struct capture **ret, const struct capture_options *o,
		  struct error *err)
{
	struct capture *c;
	int r;

	if (o->hz > CAPTURE_HZ_MAX)
		return error_set(err, -EINVAL,
				 "a rate of %u Hz is more than %d", o->hz,
				 CAPTURE_HZ_MAX);
	r = sampler_start();
	if (r < 0)
		return error_set_errno(err, r,
				       "cannot start the sampling thread");
	c = new_capture();
	if (!c)
		return error_set_errno(err, -ENOMEM, "cannot sample");
	c->options = *o;
	c->options.hz = o->hz ? o->hz : CAPTURE_HZ_DEFAULT;
	c->period = 1000000000 / c->options.hz;
	r = ask(REQUEST_BEGIN, c);
	if (r < 0) {
		free_capture(c);
		return say_why(r, err);
	}
	*ret = c;
	return 0;
}

/* The tables know their arena by its address. */
static void rehome(struct profile *p, struct arena *arena)
{
	p->arena = arena;
	p->strings->arena = arena;
	p->stacks.arena = arena;
	p->label_sets.arena = arena;
}

/* Moves what a capture has made to the result. */
static void hand_over(struct capture *c, struct capture_result *ret)
{
	*ret = (struct capture_result){
		.arena = c->arena,
		.profile = c->profile,
		.samples = c->taken,
		.lost = c->lost,
	};
	rehome(&ret->profile, &ret->arena);
	c->arena = (struct arena){ 0 };
}

static int finish(struct capture *c, int r, struct capture_result *ret,
		  struct error *err)
{
	if (r == 0 && !c->options.no_symbols)
		r = names_find(c);
	if (r == 0 && c->arena.failed)
		r = -ENOMEM;
	if (r == 0)
		hand_over(c, ret);
	free_capture(c);
	return r < 0 ? say_why(r, err) : 0;
}

int capture_end(struct capture *c, struct capture_result *ret,
		struct error *err)
{
	return finish(c, ask(REQUEST_END, c), ret, err);
}

void capture_drop(struct capture *c)
{
	(void)ask(REQUEST_END, c);
	free_capture(c);
}

void capture_release(struct capture_result *r)
{
	arena_release(&r->arena);
}

int capture_threads(struct capture_result *ret, struct error *err)
{
	struct capture *c;
	int r = sampler_start();

	if (r < 0)
		return error_set_errno(err, r,
				       "cannot start the sampling thread");
	c = new_capture();
	if (!c)
		return error_set_errno(err, -ENOMEM, "cannot look at threads");
	c->snapshot = true;
	return finish(c, ask(REQUEST_LOOK, c), ret, err);
}

static uint64_t cpu_of(const struct guest *g)
{
	uint64_t nanos = 0;

	if (g->running)
		(void)arm_cpu_time(g->tid, &nanos);
	return nanos;
}

void capture_stats(struct capture_stats *ret)
{
	*ret = (struct capture_stats){
		.samples = agent.counts.samples,
		.lost = agent.counts.lost,
		.truncated = agent.counts.truncated,
		.foreign = agent.counts.foreign,
		.conflicts = agent.conflicts,
		.handler_nanos = agent.counts.nanos,
		.agent_nanos = cpu_of(&agent.sampler) + cpu_of(&agent.worker),
		.unsampled = agent.unsampled,
		.bytes = agent.bytes,
		.captures = agent.captures,
		.threads = agent.watched,
		.unwatched = agent.unwatched,
		.modules = agent.modules,
		.hz = agent.hz,
		.signal = agent.signal,
		.engine = agent.engine,
	};
}

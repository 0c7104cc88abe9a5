/* SPDX-License-Identifier: MIT */
/*
 * From the ring to captures.  Runs in the sampler's thread, with its memory.
 */
#include "agent/drain.h"

#include "agent/arm.h"
#include "agent/handler.h"
#include "agent/intake.h"
#include "agent/look.h"
#include "agent/peek.h"
#include "agent/regs.h"
#include "agent/state.h"
#include "base/span.h"

enum {
	TRIES = 16, /* files read for one stack before it counts as cut */
};

/* What is kept from one time to the next. */
static struct {
	uint64_t pcs[DEPTH_MAX];
	bool wants_maps;
} drainer;

bool drain_wants_maps(void)
{
	bool wants = drainer.wants_maps;

	drainer.wants_maps = false;
	return wants;
}

/* Reads the files behind a stack that have not been read; true if any. */
static bool read_files(const uint64_t *pcs, uint32_t count)
{
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct code_map *m = code_find(&agent.code, pcs[i]);

		if (m)
			any |= code_read(&agent.code, m);
		else
			drainer.wants_maps = true;
	}
	if (any)
		code_publish(&agent.code);
	return any;
}

/* Code may be looked at, nothing else: the stack is not what it was. */
static bool read_code(void *context, uint64_t addr, uint64_t *value)
{
	(void)context;
	return code_find(&agent.code, addr) && peek_word(addr, value);
}

struct drained drain_walk(struct unwind_regs regs,
			  const struct unwind_memory *memory)
{
	struct unwind_walker walker = {
		.memory = *memory,
		.code_mask = regs_code_mask,
		.machine = regs_machine,
	};
	struct unwind_result found = { 0 };

	for (unsigned i = 0; i < TRIES; i++) {
		const struct code_view *view = agent.code.view;

		walker.map = &view->map;
		found = unwind_walk(&walker, regs, drainer.pcs, DEPTH_MAX);
		if (!read_files(drainer.pcs, found.count))
			break;
	}
	if (found.reason == UNWIND_NO_CODE)
		drainer.wants_maps = true;
	return (struct drained){ .pcs = drainer.pcs,
				 .count = found.count,
				 .cut = found.reason != UNWIND_COMPLETE };
}

static struct drained unwind_raw(const struct sample_record *r)
{
	const uint64_t *all = (const uint64_t *)(r + 1);
	struct unwind_memory memory = {
		.lo = r->sp,
		.len = r->count,
		.copy = (const uint8_t *)(all + REGS_MAX),
		.read = read_code,
	};
	struct unwind_regs regs;

	regs_again(all, r->pc, &regs);
	return drain_walk(regs, &memory);
}

struct drained drain_stack(const struct sample_record *r, uint32_t kind)
{
	if (kind == RECORD_RAW)
		return unwind_raw(r);
	return (struct drained){ .pcs = (const uint64_t *)(r + 1),
				 .count = r->count,
				 .cut = r->reason != UNWIND_COMPLETE };
}

static const struct sample_record *next_record(uint64_t *at, uint32_t *kind)
{
	const struct ring_record *head = ring_next(&agent.ring, at);

	if (!head)
		return NULL;
	*kind = head->kind;
	return (const struct sample_record *)head;
}

/* How many ticks each thread has in the records; returns where they end. */
static uint64_t count_ticks(void)
{
	uint64_t at = ring_tail(&agent.ring);
	const struct sample_record *r;
	uint32_t kind;

	while ((r = next_record(&at, &kind)))
		if (r->cause == CAUSE_CPU)
			agent.threads[r->thread].ticks += r->ticks;
	return at;
}

/* The time that a thread's records stand for, when one of them is met. */
static void settle(struct watched *w, uint64_t period)
{
	uint64_t cpu;

	if (w->nanos)
		return;
	if (w->tid && arm_cpu_time(w->tid, &cpu)) {
		/* Its time may have been given to the records before. */
		w->nanos = cpu > w->cpu_last ? cpu - w->cpu_last : 0;
		w->cpu_last = cpu;
	} else {
		w->nanos = w->ticks * period;
		w->cpu_last += w->nanos;
	}
}

/* The record's part of it; the last one gets what division leaves. */
static uint64_t share(struct watched *w, uint32_t ticks)
{
	uint64_t nanos = w->ticks ? w->nanos * ticks / w->ticks : 0;

	w->nanos -= nanos;
	w->ticks -= ticks;
	return nanos;
}

static void give(struct capture *captures, const struct sample_record *r,
		 uint32_t kind, uint64_t nanos)
{
	struct drained stack = drain_stack(r, kind);
	struct taken t = {
		.pcs = stack.pcs,
		.count = stack.count,
		.cut = stack.cut,
		.thread = r->thread,
		.nanos = nanos,
		.labels = (const char *)(r + 1) + r->body,
		.label_bytes = r->label_bytes,
		.mark = r->mark,
	};

	agent.counts.truncated += stack.cut;
	for (struct capture *c = captures; c; c = c->next)
		if (c->options.clock == CAPTURE_CPU)
			intake_add(c, &t, &agent.code);
}

void drain(struct capture *captures, uint64_t period)
{
	uint64_t end = count_ticks();
	uint64_t at = ring_tail(&agent.ring);
	const struct sample_record *r;
	uint32_t kind;

	while (at != end && (r = next_record(&at, &kind))) {
		struct watched *w = &agent.threads[r->thread];

		if (r->cause == CAUSE_LOOK) {
			look_answer(r, kind);
			continue;
		}
		settle(w, period);
		give(captures, r, kind, share(w, r->ticks));
	}
	ring_release(&agent.ring, end);
}

/* Nanoseconds that a thread has used and no sample stands for. */
static uint64_t left_over(const struct watched *w)
{
	return w->cpu_seen > w->cpu_last ? w->cpu_seen - w->cpu_last : 0;
}

/* Asks for the thread's CPU time; false: it has ended. */
static bool ask_time(struct watched *w)
{
	return arm_cpu_time(w->tid, &w->cpu_seen);
}

static void repeat(struct capture *c, uint32_t slot, uint64_t nanos)
{
	if (c->options.clock == CAPTURE_CPU && intake_knows(c, slot))
		intake_repeat(c, slot, nanos);
}

void drain_ended(struct capture *captures, uint32_t top)
{
	for (uint32_t i = 0; i < top; i++) {
		struct watched *w = &agent.threads[i];

		if (!w->tid || ask_time(w) || !left_over(w))
			continue;
		for (struct capture *c = captures; c; c = c->next)
			repeat(c, i, left_over(w));
		w->cpu_last = w->cpu_seen;
	}
}

void drain_rest(struct capture *one, uint32_t top)
{
	for (uint32_t i = 0; i < top; i++) {
		struct watched *w = &agent.threads[i];

		if (!w->tid)
			continue;
		(void)ask_time(w);
		if (left_over(w))
			repeat(one, i, left_over(w));
	}
}

void drain_discard(void)
{
	uint64_t at = ring_tail(&agent.ring);

	while (ring_next(&agent.ring, &at))
		;
	ring_release(&agent.ring, at);
}

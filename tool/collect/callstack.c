/* SPDX-License-Identifier: MIT */
/*
 * From a sample's registers and copy of the stack to its callers.  Most stacks
 * end within the copy.  Of those that do not, the rest is read from the living
 * process, and if that is gone or has moved on, taken from the thread's last
 * stack; such frames are counted, so that they can be marked.
 */
#include "collect/callstack.h"

#include <linux/perf_event.h>
#include <string.h>

#include "collect/chain.h"
#include "collect/record.h"
#include "collect/regs.h"
#include "collect/rings.h"
#include "collect/space.h"
#include "collect/task.h"

void callstacks_init(struct callstacks *c, struct binaries *binaries)
{
	c->binaries = binaries;
	unwind_cache_init(&c->cache, c->slots, sizeof(c->slots));
}

/* Walks step by step, noting where each frame is and what was inferred. */
static void walk_slowly(struct callstacks *c, const struct unwind_walker *w,
			struct unwind_regs regs, struct callstack *ret)
{
	uint32_t sure = 0; /* frames found in the copy */

	ret->count = ret->guessed = 0;
	ret->reason = UNWIND_GOING;
	while (ret->reason == UNWIND_GOING) {
		uint64_t pc = regs.pc - !regs.exact;
		bool guessed = false;

		if (ret->count && (!regs.pc || !space_find(c->live.space, pc)))
			break;
		if (ret->count == CALLSTACK_DEPTH) {
			ret->reason = UNWIND_TOO_DEEP;
			break;
		}
		c->frame[ret->count] = (struct stack_frame){ pc, regs.sp };
		ret->pc[ret->count++] = pc;
		if (!c->live.data_reads)
			sure = ret->count;
		ret->reason = unwind_step(w, &regs, &guessed);
		ret->guessed += guessed;
	}
	if (ret->reason == UNWIND_GOING)
		ret->reason = regs.pc ? UNWIND_NO_CODE : UNWIND_COMPLETE;
	ret->inferred = ret->count - sure;
}

/* Continues a stack that broke off as the thread's last one did. */
static void continue_from_last(struct callstacks *c, struct thread *t,
			       struct callstack *ret)
{
	uint32_t sure = ret->count - ret->inferred;
	const struct stack_frame *rest;
	uint32_t count;

	/* The last frame that is sure, and what came of it then. */
	if (!sure)
		return;
	rest = suffix_find(t->suffix, c->frame[sure - 1], &count);
	if (!rest || count > CALLSTACK_DEPTH - sure)
		return;
	for (uint32_t i = 0; i < count; i++) {
		c->frame[sure + i] = rest[i];
		ret->pc[sure + i] = rest[i].pc;
	}
	ret->count = sure + count;
	ret->inferred = count;
	ret->reason = UNWIND_COMPLETE;
}

/* The stack leaves the copy, or earlier ones of the thread did. */
static void find_deep(struct callstacks *c, struct thread *t,
		      const struct unwind_walker *w,
		      const struct record_sample *s, struct callstack *ret)
{
	uint64_t end = w->memory.lo + s->stack.len;
	uint64_t all[REGS_MAX];
	struct unwind_regs regs;

	/* The pages that were read are kept. */
	c->live.data_reads = 0;
	c->live.first_data = 0;
	regs_read(s->regs, all, &regs);
	walk_slowly(c, w, regs, ret);
	ret->outgrown = c->live.beyond || (c->live.first_data >= end &&
					   c->live.first_data - end < 1 << 20);
	if (ret->inferred || ret->reason != UNWIND_COMPLETE)
		chain_join(w->map, s->chain, ret);
	if (ret->reason != UNWIND_COMPLETE)
		continue_from_last(c, t, ret);
	if (ret->reason == UNWIND_COMPLETE)
		suffix_set(&t->suffix, c->frame, ret->count);
}

/*
 * In the middle of execve(), and at the end of exit(), a program has no memory
 * any more: nothing was copied, nothing can be read, and there is no caller.
 */
static bool has_no_memory(const struct record_sample *s,
			  const struct callstack *found)
{
	return !s->stack.len && found->count <= 1 && s->ip >> 63 &&
	       (found->reason == UNWIND_UNREADABLE ||
		found->reason == UNWIND_NO_CODE);
}

void callstack_find(struct callstacks *c, struct thread *t,
		    const struct record_sample *s, struct callstack *ret)
{
	struct process *p = t->process;
	size_t small = s->stack.len < STACK_SMALL ? s->stack.len : STACK_SMALL;
	uint64_t all[REGS_MAX];
	struct unwind_regs regs;
	struct unwind_result found;
	struct unwind_walker w;

	ret->count = ret->inferred = ret->guessed = 0;
	ret->outgrown = false;
	ret->reason = UNWIND_COMPLETE;
	if (s->abi != PERF_SAMPLE_REGS_ABI_64)
		return;
	regs_read(s->regs, all, &regs);
	live_begin(&c->live, p->pid, p->space, regs.sp);
	c->live.rest = span_part(s->stack, small, s->stack.len - small);
	c->live.rest_at = regs.sp + small;
	w = (struct unwind_walker){
		.map = space_view(p->space, c->binaries, &c->generation),
		.cache = &c->cache,
		.memory = { .lo = regs.sp,
			    .len = small,
			    .copy = s->stack.at,
			    .read = live_read,
			    .context = &c->live },
		.code_mask = regs_code_mask,
		.machine = regs_machine,
	};
	if (!t->suffix) {
		found = unwind_walk(&w, regs, ret->pc, CALLSTACK_DEPTH);
		ret->count = found.count;
		ret->guessed = found.guessed;
		ret->reason = found.reason;
	}
	ret->outgrown = c->live.beyond;
	if (t->suffix || c->live.first_data || ret->reason != UNWIND_COMPLETE)
		find_deep(c, t, &w, s, ret);
	if (has_no_memory(s, ret))
		ret->reason = UNWIND_COMPLETE;
}

/* SPDX-License-Identifier: MIT */
/* See restack.h.  Every rule is: given how the caller's stack came out, how
 * does this run of frames come out. */
#include "profile/restack.h"

#include <errno.h>

#include "profile/derive.h"
#include "profile/order.h"
#include "profile/profile.h"

/* How a stack came out. */
struct outcome {
	stack_id whole; /* what its continuations go on from */
	stack_id stack; /* what its samples get */
	bool found;	/* something the rule looks for was there */
	bool done;	/* nothing below matters any more */
};

struct run {
	const frame_id *frames;
	uint32_t count;
};

struct restack {
	const bool *first; /* the rule's sets */
	const bool *second;
	struct stacktab *to;
	frame_id *buffer; /* as long as the longest run */
};

typedef struct outcome stack_rule(struct restack *x, struct outcome caller,
				  struct run run);

static struct outcome rule_without(struct restack *x, struct outcome caller,
				   struct run run)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < run.count; i++)
		if (!x->first[run.frames[i]])
			x->buffer[left++] = run.frames[i];
	caller.whole = stack_add(x->to, caller.whole, x->buffer, left);
	caller.stack = caller.whole;
	caller.found = caller.whole != 0;
	return caller;
}

static struct outcome rule_from(struct restack *x, struct outcome caller,
				struct run run)
{
	uint32_t i = 0;

	while (!caller.found && i < run.count && !x->first[run.frames[i]])
		i++;
	if (i == run.count)
		return caller;
	caller.found = true;
	caller.whole = stack_add(x->to, caller.whole, run.frames + i,
				 run.count - i);
	caller.stack = caller.whole;
	return caller;
}

static struct outcome rule_to(struct restack *x, struct outcome caller,
			      struct run run)
{
	uint32_t start = 0;

	for (uint32_t i = 0; i < run.count; i++) {
		if (!x->first[run.frames[i]])
			continue;
		caller.whole = stack_add(x->to, caller.whole,
					 run.frames + start, i + 1 - start);
		caller.stack = caller.whole;
		caller.found = true;
		start = i + 1;
	}
	caller.whole = stack_add(x->to, caller.whole, run.frames + start,
				 run.count - start);
	if (!caller.found)
		caller.stack = caller.whole;
	return caller;
}

static struct outcome rule_prune(struct restack *x, struct outcome caller,
				 struct run run)
{
	uint32_t end = 0;

	if (caller.done)
		return caller;
	for (; end < run.count && !caller.done; end++) {
		frame_id f = run.frames[end];
		bool drop = x->first[f], beneath = x->second[f];

		if (!drop && !beneath)
			caller.found = true;
		else if (caller.found)
			caller.done = true;
		if (caller.done && drop)
			break;
	}
	caller.whole = stack_add(x->to, caller.whole, run.frames, end);
	caller.stack = caller.whole;
	return caller;
}

static uint32_t longest_run(const struct stacktab *t)
{
	uint32_t longest = 0;

	for (uint32_t i = 1; i < t->nodes.count; i++)
		if (t->nodes.at[i].length > longest)
			longest = t->nodes.at[i].length;
	return longest;
}

static void apply(struct restack *x, stack_rule *rule,
		  const struct stacktab *from, const struct stack_order *order,
		  struct outcome *out)
{
	for (uint32_t i = 1; i < order->count; i++) {
		const struct stack_step *n = &order->step[i];
		struct run run = { from->frames.at + n->first, n->length };

		out[order->node[i]] = rule(x, out[order->node[n->parent]], run);
	}
}

/* Moves the samples to the new tree; drop: those that found nothing go. */
static int adopt(struct profile *p, struct stacktab *to,
		 const struct outcome *out, bool drop)
{
	bool *keep = ARENA_ARRAY(p->arena, bool, p->sample_count);
	int r = profile_own_samples(p);

	if (r < 0 || !keep)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		const struct outcome *o = &out[p->stack[i]];

		keep[i] = !drop || o->found;
		p->stack[i] = o->stack;
	}
	if (p->owned & PROFILE_STACKS)
		stacktab_release(&p->stacks);
	p->owned |= PROFILE_STACKS;
	p->stacks = *to;
	return profile_select_samples(p, keep, NULL);
}

static int restack(struct profile *p, stack_rule *rule, const bool *first,
		   const bool *second, bool drop)
{
	struct arena scratch = { 0 };
	const struct stack_order *order = stack_order_of(&p->stacks);
	struct stacktab to;
	struct restack x = { .first = first, .second = second, .to = &to };
	struct outcome *out = ARENA_ARRAY(&scratch, struct outcome,
					  p->stacks.nodes.count);
	int r = order ? 0 : -ENOMEM;

	x.buffer = ARENA_ARRAY(&scratch, frame_id,
			       (size_t)longest_run(&p->stacks) + 1);
	stacktab_init(&to, p->arena);
	if (scratch.failed)
		r = -ENOMEM;
	if (r == 0) {
		apply(&x, rule, &p->stacks, order, out);
		r = adopt(p, &to, out, drop);
	}
	arena_release(&scratch);
	return r < 0 || p->arena->failed ? -ENOMEM : 0;
}

int restack_without(struct profile *p, const bool *hidden)
{
	return restack(p, rule_without, hidden, NULL, true);
}

int restack_from(struct profile *p, const bool *start)
{
	return restack(p, rule_from, start, NULL, true);
}

int restack_to(struct profile *p, const bool *end)
{
	return restack(p, rule_to, end, NULL, false);
}

int restack_prune(struct profile *p, const bool *drop, const bool *beneath)
{
	return restack(p, rule_prune, drop, beneath, false);
}

enum focus_bits { WANTED = 1, UNWANTED = 2 };

static void find_focus(const struct stacktab *t,
		       const struct stack_order *order, const bool *wanted,
		       const bool *unwanted, uint8_t *bits)
{
	for (uint32_t i = 1; i < order->count; i++) {
		const struct stack_step *n = &order->step[i];
		uint8_t b = bits[order->node[n->parent]];

		for (uint32_t f = 0; f < n->length && !(b & UNWANTED); f++) {
			frame_id frame = t->frames.at[n->first + f];

			b |= wanted[frame] ? WANTED : 0;
			b |= unwanted[frame] ? UNWANTED : 0;
		}
		bits[order->node[i]] = b;
	}
}

int restack_focus(struct profile *p, const bool *wanted, const bool *unwanted)
{
	struct arena scratch = { 0 };
	const struct stack_order *order = stack_order_of(&p->stacks);
	uint8_t *bits = ARENA_ARRAY(&scratch, uint8_t, p->stacks.nodes.count);
	bool *keep = ARENA_ARRAY(&scratch, bool, p->sample_count);
	int r = order ? 0 : -ENOMEM;

	if (scratch.failed)
		r = -ENOMEM;
	if (r == 0) {
		find_focus(&p->stacks, order, wanted, unwanted, bits);
		for (uint32_t i = 0; i < p->sample_count; i++)
			keep[i] = bits[p->stack[i]] == WANTED;
		r = profile_select_samples(p, keep, NULL);
	}
	arena_release(&scratch);
	return r < 0 || p->arena->failed ? -ENOMEM : 0;
}

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
	uint32_t first; /* the index of the first of them */
	uint32_t count;
};

struct restack {
	const bool *first; /* the rule's sets */
	const bool *second;
	struct stacktab *to;
};

typedef struct outcome stack_rule(struct restack *x, struct outcome caller,
				  struct run run);

/* The frames of run from begin to end, called by caller. */
static stack_id add_part(struct restack *x, stack_id caller, struct run run,
			 uint32_t begin, uint32_t end)
{
	return stack_add_in_order(x->to, caller, run.first + begin,
				  end - begin);
}

/* Copies the frames that stay: parts between those that go are too many. */
static struct outcome rule_without(struct restack *x, struct outcome caller,
				   struct run run)
{
	uint32_t first = x->to->frames.count;
	frame_id *next = x->to->frames.at + first;

	for (uint32_t i = 0; i < run.count; i++) {
		*next = run.frames[i];
		next += !x->first[run.frames[i]];
	}
	x->to->frames.count = (uint32_t)(next - x->to->frames.at);
	caller.whole = stack_add_in_order(x->to, caller.whole, first,
					  x->to->frames.count - first);
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
	caller.whole = add_part(x, caller.whole, run, i, run.count);
	caller.stack = caller.whole;
	return caller;
}

static struct outcome rule_to(struct restack *x, struct outcome caller,
			      struct run run)
{
	uint32_t end = run.count;

	while (end && !x->first[run.frames[end - 1]])
		end--;
	if (end) {
		caller.whole = add_part(x, caller.whole, run, 0, end);
		caller.stack = caller.whole;
		caller.found = true;
	}
	caller.whole = add_part(x, caller.whole, run, end, run.count);
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
	caller.whole = add_part(x, caller.whole, run, 0, end);
	caller.stack = caller.whole;
	return caller;
}

static void apply(struct restack *x, stack_rule *rule,
		  const struct stacktab *from, const struct stack_order *order,
		  struct outcome *out)
{
	for (uint32_t i = 1; i < order->count; i++) {
		const struct stack_node *n = &order->step[i];
		struct run run = { from->frames.at + n->first, n->first,
				   n->length };

		order_ask_ahead(order, from, i);
		out[order_node(order, i)] = rule(
			x, out[order_node(order, n->parent)], run);
	}
}

/* Moves the samples to the new tree; drop: those that found nothing go. */
static int adopt(struct profile *p, const struct stacktab *to,
		 const struct outcome *out, bool drop, struct arena *scratch)
{
	bool *keep = ARENA_ARRAY(scratch, bool, p->sample_count);
	stack_id *map = ARENA_ARRAY(scratch, stack_id, p->stacks.nodes.count);

	if (!keep || !map)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->stacks.nodes.count; i++)
		map[i] = out[i].stack;
	for (uint32_t i = 0; i < p->sample_count; i++)
		keep[i] = !drop || out[p->stack[i]].found;
	if (p->owned & PROFILE_STACKS)
		stacktab_release_tree(&p->stacks);
	p->owned |= PROFILE_STACKS;
	p->stacks = *to;
	return profile_select_samples(p, keep, map);
}

static int restack(struct profile *p, stack_rule *rule, struct restack x,
		   bool drop)
{
	struct arena scratch = { 0 };
	const struct stack_order *order = stack_order_of(&p->stacks);
	struct outcome *out = ARENA_ARRAY(&scratch, struct outcome,
					  p->stacks.nodes.count);
	int r = order && out ? 0 : -ENOMEM;

	if (r == 0) {
		apply(&x, rule, &p->stacks, order, out);
		r = adopt(p, x.to, out, drop, &scratch);
	}
	arena_release(&scratch);
	return r < 0 || p->arena->failed ? -ENOMEM : 0;
}

int restack_without(struct profile *p, const bool *hidden)
{
	struct stacktab to;
	struct restack x = { .first = hidden, .to = &to };

	stacktab_init_in_order(&to, NULL, p->arena);
	/* One more than there can be, as each is written before it is judged.
	 */
	if (!VEC_RESERVE(&to.frames, p->arena, p->stacks.frames.count + 1u))
		return -ENOMEM;
	return restack(p, rule_without, x, true);
}

/* By rules that keep the first or the last frames of a run. */
static int restack_parts(struct profile *p, stack_rule *rule, const bool *first,
			 const bool *second, bool drop)
{
	struct stacktab to;
	struct restack x = { .first = first, .second = second, .to = &to };

	stacktab_init_in_order(&to, &p->stacks, p->arena);
	return restack(p, rule, x, drop);
}

int restack_from(struct profile *p, const bool *start)
{
	return restack_parts(p, rule_from, start, NULL, true);
}

int restack_to(struct profile *p, const bool *end)
{
	return restack_parts(p, rule_to, end, NULL, false);
}

int restack_prune(struct profile *p, const bool *drop, const bool *beneath)
{
	return restack_parts(p, rule_prune, drop, beneath, false);
}

enum verdict { WANTED = 1, UNWANTED = 2 };

/*
 * What each stack has of either; enough tells when no more needs to be known.
 */
static void find_focus(const struct stacktab *t,
		       const struct stack_order *order, const uint8_t *verdict,
		       uint8_t enough, uint8_t *of_stack)
{
	for (uint32_t i = 1; i < order->count; i++) {
		const struct stack_node *n = &order->step[i];
		uint8_t v = of_stack[order_node(order, n->parent)];

		order_ask_ahead(order, t, i);
		for (uint32_t f = 0; f < n->length && !(v & enough); f++)
			v |= verdict[t->frames.at[n->first + f]];
		of_stack[order_node(order, i)] = v;
	}
}

/* Fills in verdicts; true if some location is unwanted. */
static bool judge(const bool *wanted, const bool *unwanted, uint32_t count,
		  uint8_t *verdict)
{
	bool any = false;

	for (location_id l = 0; l < count; l++) {
		verdict[l] = (wanted[l] ? WANTED : 0) |
			     (unwanted[l] ? UNWANTED : 0);
		any |= unwanted[l];
	}
	return any;
}

int restack_focus(struct profile *p, const bool *wanted, const bool *unwanted)
{
	struct arena scratch = { 0 };
	const struct stack_order *order = stack_order_of(&p->stacks);
	uint32_t locations = p->locations.count;
	uint8_t *verdict = ARENA_ARRAY(&scratch, uint8_t, locations);
	uint8_t *of_stack = ARENA_ARRAY(&scratch, uint8_t,
					p->stacks.nodes.count);
	bool *keep = ARENA_ARRAY(&scratch, bool, p->sample_count);
	int r = order && !scratch.failed ? 0 : -ENOMEM;

	if (r == 0) {
		bool any = judge(wanted, unwanted, locations, verdict);

		find_focus(&p->stacks, order, verdict, any ? UNWANTED : WANTED,
			   of_stack);
		for (uint32_t i = 0; i < p->sample_count; i++)
			keep[i] = of_stack[p->stack[i]] == WANTED;
		r = profile_select_samples(p, keep, NULL);
	}
	arena_release(&scratch);
	return r < 0 || p->arena->failed ? -ENOMEM : 0;
}

/* SPDX-License-Identifier: MIT */
/* Which stacks have what is wanted and nothing that is not: see restack.h. */
#include <errno.h>

#include "base/workers.h"
#include "profile/derive.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "profile/restack.h"

enum verdict {
	WANTED = 1,
	UNWANTED = 2,
	JUDGED = 4, /* a stack, already */
};

struct job {
	const struct stacktab *stacks;
	const struct stack_order *order;
	uint8_t *verdict; /* by location */
	uint8_t enough;	  /* when no more needs to be known */
	uint8_t *found;	  /* by position */
	bool *stays;	  /* by stack */
	unsigned parts;
};

static void judge_stack(const struct job *j, uint32_t position)
{
	const struct stack_node *n = &j->order->step[position];
	const frame_id *frames = j->stacks->frames.at + n->first;
	uint8_t v = j->found[n->parent];

	for (uint32_t f = 0; f < n->length && !(v & j->enough); f++)
		v |= j->verdict[frames[f]];
	j->found[position] = v | JUDGED;
	j->stays[order_node(j->order, position)] = (v & ~JUDGED) == WANTED;
}

static void judge_part(void *job, unsigned number)
{
	const struct job *j = job;
	uint32_t begin = order_part_start(j->order, number, j->parts);
	uint32_t end = order_part_start(j->order, number + 1, j->parts);

	for (uint32_t i = begin; i < end; i++) {
		order_ask_ahead(j->order, j->stacks, i);
		if (!(j->found[i] & JUDGED))
			judge_stack(j, i);
	}
}

/* The paths to where parts begin, before any part needs them. */
static int judge_paths(const struct job *j, struct arena *scratch)
{
	for (unsigned number = 1; number < j->parts; number++) {
		uint32_t *callers;
		int64_t count = order_callers(
			j->order, order_part_start(j->order, number, j->parts),
			scratch, &callers);

		if (count < 0)
			return -ENOMEM;
		for (int64_t i = 0; i < count; i++)
			judge_stack(j, callers[i]);
	}
	return 0;
}

/* Fills in verdicts; true if some location is unwanted. */
static bool judge_locations(const bool *wanted, const bool *unwanted,
			    uint32_t count, uint8_t *verdict)
{
	bool any = false;

	for (location_id l = 0; l < count; l++) {
		verdict[l] = (wanted[l] ? WANTED : 0) |
			     (unwanted[l] ? UNWANTED : 0);
		any |= unwanted[l];
	}
	return any;
}

int restack_focus(struct profile *p, const bool *wanted, const bool *unwanted,
		  const struct workers *workers)
{
	struct arena scratch = { 0 };
	uint32_t locations = p->locations.count;
	struct job j = {
		.stacks = &p->stacks,
		.order = stack_order_of(&p->stacks),
		.verdict = ARENA_ARRAY(&scratch, uint8_t, locations),
		.found = ARENA_ARRAY(&scratch, uint8_t, p->stacks.nodes.count),
		.stays = ARENA_ARRAY(&scratch, bool, p->stacks.nodes.count),
		.parts = workers_parts(workers),
	};
	bool *keep = ARENA_ARRAY(&scratch, bool, p->sample_count);
	int r = j.order && !scratch.failed ? 0 : -ENOMEM;

	if (r == 0) {
		j.enough = judge_locations(wanted, unwanted, locations,
					   j.verdict)
				   ? UNWANTED
				   : WANTED;
		r = judge_paths(&j, &scratch);
	}
	if (r == 0) {
		workers_run(workers, judge_part, &j);
		for (uint32_t i = 0; i < p->sample_count; i++)
			keep[i] = j.stays[p->stack[i]];
		r = profile_select_samples(p, keep, NULL);
	}
	arena_release(&scratch);
	return r < 0 || p->arena->failed ? -ENOMEM : 0;
}

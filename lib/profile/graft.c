/* SPDX-License-Identifier: MIT */
/*
 * See graft.h.  Samples are taken root by root, and for each root in the order
 * of a walk over the old tree: the new one is made in order, and no stack is
 * looked up.
 */
#include "profile/graft.h"

#include <errno.h>
#include <string.h>

#include "profile/order.h"
#include "profile/profile.h"

/* What a stack of the old tree has become, below a root. */
struct made {
	stack_id stack;
	uint32_t root; /* + 1, for which it was made last */
};

struct job {
	struct profile *p;
	const struct graft *g;
	struct arena scratch;
	const struct stack_order *order;
	uint32_t *position; /* of old stacks */
	uint32_t *samples;  /* in the order that they are taken in */
	uint32_t *next;	    /* the same, while they are sorted */
	struct made *made;  /* by position */
	VEC(uint32_t) path; /* positions that are still to be made */
	uint32_t ends;	    /* where the frames of the graft are in to */
	struct stacktab to;
	stack_id *stacks; /* by sample */
};

typedef uint32_t sort_key(const struct job *j, uint32_t sample);

static uint32_t by_leaf(const struct job *j, uint32_t sample)
{
	return j->g->leaf_of[j->p->labels[sample]];
}

static uint32_t by_position(const struct job *j, uint32_t sample)
{
	return j->position[j->p->stack[sample]];
}

static uint32_t by_root(const struct job *j, uint32_t sample)
{
	return j->g->root_of[j->p->labels[sample]];
}

/* Sorts samples by a key below limit; equal ones stay as they are. */
static int sort_samples(struct job *j, sort_key *key, uint32_t limit)
{
	uint32_t count = j->p->sample_count;
	uint32_t *start, *samples = j->samples;

	if (limit < 2)
		return 0;
	start = ARENA_ARRAY(&j->scratch, uint32_t, (size_t)limit + 1);
	if (!start)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		start[key(j, i) + 1]++;
	for (uint32_t k = 0; k < limit; k++)
		start[k + 1] += start[k];
	for (uint32_t i = 0; i < count; i++)
		j->next[start[key(j, samples[i])]++] = samples[i];
	j->samples = j->next;
	j->next = samples;
	return 0;
}

static int find_positions(struct job *j)
{
	uint32_t count = j->p->sample_count;
	uint32_t stacks = j->p->stacks.nodes.count;

	j->order = stack_order_of(&j->p->stacks);
	if (!j->order)
		return -ENOMEM;
	j->position = ARENA_ARRAY(&j->scratch, uint32_t, stacks);
	j->made = ARENA_ARRAY(&j->scratch, struct made, stacks);
	j->samples = ARENA_ARRAY(&j->scratch, uint32_t, count);
	j->next = ARENA_ARRAY(&j->scratch, uint32_t, count);
	if (j->scratch.failed)
		return -ENOMEM;
	for (uint32_t i = 1; i < j->order->count; i++)
		j->position[order_node(j->order, i)] = i;
	for (uint32_t i = 0; i < count; i++)
		j->samples[i] = i;
	return 0;
}

/* All frames that there are: runs stay parts of them. */
static int copy_frames(struct job *j)
{
	const struct stacktab *from = &j->p->stacks;
	struct stacktab *to = &j->to;
	uint64_t count = (uint64_t)from->frames.count + j->g->frame_count;

	stacktab_init_in_order(to, NULL, j->p->arena);
	if (count > UINT32_MAX || !VEC_RESERVE(&to->frames, j->p->arena, count))
		return -ENOMEM;
	memcpy(to->frames.at, from->frames.at,
	       from->frames.count * sizeof(frame_id));
	j->ends = from->frames.count;
	if (j->g->frame_count)
		memcpy(to->frames.at + j->ends, j->g->frames,
		       j->g->frame_count * sizeof(frame_id));
	to->frames.count = (uint32_t)count;
	return 0;
}

static stack_id add_run(struct job *j, stack_id caller, struct graft_run run)
{
	return stack_add_in_order(&j->to, caller, j->ends + run.first,
				  run.count);
}

/* What the stack at a position is below a root; it is made with all of its
 * callers if it has to be.  Failures show in the arenas. */
static stack_id make_stack(struct job *j, uint32_t position, uint32_t root)
{
	stack_id stack;

	for (j->path.count = 0; j->made[position].root != root + 1;
	     position = j->order->step[position].parent) {
		uint32_t *missing = VEC_PUSH(&j->path, &j->scratch);

		if (!missing)
			return 0;
		*missing = position;
	}
	stack = j->made[position].stack;
	while (j->path.count) {
		const struct stack_node *run;

		position = j->path.at[--j->path.count];
		run = &j->order->step[position];
		stack = stack_add_in_order(&j->to, stack, run->first,
					   run->length);
		j->made[position] = (struct made){ stack, root + 1 };
	}
	return stack;
}

static void take_samples(struct job *j)
{
	const struct graft *g = j->g;
	stack_id stack = 0, end = 0;
	uint32_t root = UINT32_MAX, position = 0, leaf = 0;

	for (uint32_t i = 0; i < j->p->sample_count; i++) {
		uint32_t sample = j->samples[i];
		bool moved = by_position(j, sample) != position;

		position = by_position(j, sample);
		if (by_root(j, sample) != root) {
			root = by_root(j, sample);
			j->made[0] = (struct made){
				add_run(j, 0, g->roots[root]), root + 1
			};
			moved = true;
		}
		if (moved)
			stack = make_stack(j, position, root);
		if (moved || by_leaf(j, sample) != leaf) {
			leaf = by_leaf(j, sample);
			end = add_run(j, stack, g->leaves[leaf]);
		}
		j->stacks[sample] = end;
	}
}

static int run(struct job *j)
{
	struct profile *p = j->p;
	int r = find_positions(j);

	if (r == 0)
		r = sort_samples(j, by_leaf, j->g->leaf_count);
	if (r == 0)
		r = sort_samples(j, by_position, j->order->count);
	if (r == 0)
		r = sort_samples(j, by_root, j->g->root_count);
	if (r == 0)
		r = copy_frames(j);
	if (r < 0)
		return r;
	j->stacks = ARENA_ARRAY(p->arena, stack_id, p->sample_count + 1u);
	if (!j->stacks)
		return -ENOMEM;
	take_samples(j);
	if (j->scratch.failed || p->arena->failed)
		return -ENOMEM;
	p->stacks = j->to;
	p->owned |= PROFILE_STACKS;
	p->stack = j->stacks;
	return 0;
}

int graft_stacks(struct profile *p, const struct graft *g)
{
	struct job j = { .p = p, .g = g };
	int r = run(&j);

	arena_release(&j.scratch);
	return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * See restack.h.  Every rule is: given how the caller's stack came out, how
 * does this run of frames come out.
 *
 * A part of the walk makes a tree of its own, which begins with its copy of the
 * path to where the part starts; put one behind the other, these are the new
 * tree.  Stacks on such a path are then there more than once, which changes
 * nothing that can be asked of them.
 */
#include "profile/restack.h"

#include <errno.h>
#include <string.h>

#include "base/workers.h"
#include "profile/derive.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "profile/stackpaths.h"

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

/* A run that others continue, and how it came out. */
struct open_run {
	uint32_t position;
	struct outcome outcome;
};

/* A stretch of the walk, and what it makes. */
struct part {
	struct arena scratch;
	struct restack x;
	struct stacktab tree;
	uint32_t begin; /* positions */
	uint32_t end;
	uint32_t *path; /* the callers of begin, as positions */
	uint32_t path_count;
	VEC(struct open_run) open; /* the path to the run being walked */
	uint32_t shift;		   /* from its tree's ids to the new tree's */
	WORKERS_APART;
};

struct job {
	struct profile *p;
	stack_rule *rule;
	const bool *first;
	const bool *second;
	const struct workers *workers;
	bool borrow; /* the frames, as one part of a stack stays; else they
			move, and others are left out here and there */
	bool to_end; /* if so: the part that ends where the stack does */
	bool drop;   /* samples in whose stacks nothing was found */

	const struct stack_order *order;
	struct stacktab to;
	stack_id *
		map; /* by old stack; in its part's tree until that is placed */
	bool *found; /* by old stack */
	unsigned parts;
	struct part part[WORKERS_MAX];
};

static bool is_continued(const struct stack_order *o, uint32_t position)
{
	return position + 1 < o->count &&
	       o->step[position + 1].parent == position;
}

/* Applies the rule to the run at a position, all that it continues being open;
 * false: out of memory. */
static bool enter(struct job *j, struct part *part, uint32_t position,
		  struct outcome *ret)
{
	const struct stack_node *n = &j->order->step[position];
	const struct run run = { j->p->stacks.frames.at + n->first, n->first,
				 n->length };

	while (part->open.at[part->open.count - 1].position != n->parent)
		part->open.count--;
	*ret = j->rule(&part->x, part->open.at[part->open.count - 1].outcome,
		       run);
	if (!is_continued(j->order, position))
		return true;
	if (!VEC_RESERVE(&part->open, &part->scratch, 1))
		return false;
	part->open.at[part->open.count++] = (struct open_run){ position, *ret };
	return true;
}

static void walk_part(void *job, unsigned number)
{
	struct job *j = job;
	struct part *part = &j->part[number];
	struct outcome o;

	for (uint32_t i = 0; i < part->path_count; i++)
		if (!enter(j, part, part->path[i], &o))
			return;
	for (uint32_t i = part->begin; i < part->end; i++) {
		stack_id old = order_node(j->order, i);

		order_ask_ahead(j->order, &j->p->stacks, i);
		if (!enter(j, part, i, &o))
			return;
		j->map[old] = o.stack;
		j->found[old] = o.found;
	}
}

/* The most frames that the part can have. */
static uint64_t most_frames(const struct job *j, const struct part *part)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < part->path_count; i++)
		count += j->order->step[part->path[i]].length;
	for (uint32_t i = part->begin; i < part->end; i++)
		count += j->order->step[i].length;
	return count;
}

static int cut_part(struct job *j, unsigned number)
{
	struct part *part = &j->part[number];
	int64_t callers;

	*part = (struct part){
		.begin = order_part_start(j->order, number, j->parts),
		.end = order_part_start(j->order, number + 1, j->parts),
		.x = { j->first, j->second, &part->tree },
	};
	stacktab_init_in_order(&part->tree, &j->p->stacks, &part->scratch);
	(void)VEC_PUSH(&part->open, &part->scratch); /* the empty stack */
	if (part->begin == part->end)
		return part->scratch.failed ? -ENOMEM : 0;
	callers = order_callers(j->order, part->begin, &part->scratch,
				&part->path);
	if (callers < 0)
		return -ENOMEM;
	part->path_count = (uint32_t)callers;
	return 0;
}

/* Gives each part room for its frames in one array. */
static int share_frames(struct job *j)
{
	uint64_t start[WORKERS_MAX], total = 0;

	for (unsigned i = 0; i < j->parts; i++) {
		start[i] = total;
		/* One more, as each is written before it is judged. */
		total += most_frames(j, &j->part[i]) + 1;
	}
	if (total > UINT32_MAX ||
	    !VEC_RESERVE(&j->to.frames, j->p->arena, total))
		return -ENOMEM;
	j->to.frames.count = (uint32_t)total;
	for (unsigned i = 0; i < j->parts; i++) {
		j->part[i].tree.frames.at = j->to.frames.at;
		j->part[i].tree.frames.count = (uint32_t)start[i];
	}
	return 0;
}

static int prepare(struct job *j, struct arena *scratch)
{
	struct profile *p = j->p;
	int r = 0;

	stacktab_init_in_order(&j->to, j->borrow ? &p->stacks : NULL, p->arena);
	j->order = stack_order_of(&p->stacks);
	if (!j->order)
		return -ENOMEM;
	j->map = ARENA_ARRAY(scratch, stack_id, p->stacks.nodes.count);
	j->found = ARENA_ARRAY(scratch, bool, p->stacks.nodes.count);
	for (unsigned i = 0; i < j->parts && r == 0; i++)
		r = cut_part(j, i);
	if (r == 0 && !j->borrow)
		r = share_frames(j);
	return scratch->failed || p->arena->failed ? -ENOMEM : r;
}

static stack_id shifted(stack_id id, uint32_t shift)
{
	return id ? id + shift : 0;
}

/* Puts the part's tree into the new one. */
static void place_part(void *job, unsigned number)
{
	struct job *j = job;
	const struct part *part = &j->part[number];

	for (uint32_t i = 1; i < part->tree.nodes.count; i++) {
		struct stack_node n = part->tree.nodes.at[i];

		n.parent = shifted(n.parent, part->shift);
		j->to.nodes.at[i + part->shift] = n;
	}
	for (uint32_t i = part->begin; i < part->end; i++) {
		stack_id *to = &j->map[order_node(j->order, i)];

		*to = shifted(*to, part->shift);
	}
}

static int join(struct job *j)
{
	uint64_t count = 1;

	for (unsigned i = 0; i < j->parts; i++) {
		if (j->part[i].scratch.failed)
			return -ENOMEM;
		j->part[i].shift = (uint32_t)count - 1;
		count += j->part[i].tree.nodes.count - 1;
	}
	if (count > UINT32_MAX ||
	    !VEC_RESERVE(&j->to.nodes, j->p->arena, count))
		return -ENOMEM;
	j->to.nodes.count = (uint32_t)count;
	workers_run(j->workers, place_part, j);
	return 0;
}

/* What stays can be read where stacks are written down already, in a tree that
 * stays. */
static int derive_paths(struct job *j)
{
	const struct profile *p = j->p;
	const struct stackpaths_origin origin = {
		.from = &p->stacks,
		.map = j->map,
		.ids = p->stack,
		.count = p->sample_count,
		.left_out = j->borrow ? NULL : j->first,
		.frames = p->locations.count,
		.from_start = j->to_end,
	};

	if (p->owned & PROFILE_STACKS || !stackpaths_are_there(&p->stacks))
		return 0;
	return stackpaths_derive(&j->to, &origin);
}

/* Moves the samples to the new tree. */
static int adopt(struct job *j, struct arena *scratch)
{
	struct profile *p = j->p;
	bool *keep = ARENA_ARRAY(scratch, bool, p->sample_count);

	if (!keep || derive_paths(j) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++)
		keep[i] = !j->drop || j->found[p->stack[i]];
	if (p->owned & PROFILE_STACKS)
		stacktab_release_tree(&p->stacks);
	p->owned |= PROFILE_STACKS;
	p->stacks = j->to;
	return profile_select_samples(p, keep, j->map);
}

static int restack(struct job j)
{
	struct arena scratch = { 0 };
	int r;

	j.parts = workers_parts(j.workers);
	memset(j.part, 0, sizeof(j.part));
	r = prepare(&j, &scratch);
	if (r == 0) {
		workers_run(j.workers, walk_part, &j);
		r = join(&j);
	}
	if (r == 0)
		r = adopt(&j, &scratch);
	for (unsigned i = 0; i < j.parts; i++)
		arena_release(&j.part[i].scratch);
	arena_release(&scratch);
	return r < 0 || j.p->arena->failed ? -ENOMEM : 0;
}

int restack_without(struct profile *p, const bool *hidden,
		    const struct workers *workers)
{
	return restack((struct job){ .p = p,
				     .rule = rule_without,
				     .first = hidden,
				     .workers = workers,
				     .drop = true });
}

int restack_from(struct profile *p, const bool *start,
		 const struct workers *workers)
{
	return restack((struct job){ .p = p,
				     .rule = rule_from,
				     .first = start,
				     .workers = workers,
				     .borrow = true,
				     .to_end = true,
				     .drop = true });
}

int restack_to(struct profile *p, const bool *end,
	       const struct workers *workers)
{
	return restack((struct job){ .p = p,
				     .rule = rule_to,
				     .first = end,
				     .workers = workers,
				     .borrow = true });
}

int restack_prune(struct profile *p, const bool *drop, const bool *beneath,
		  const struct workers *workers)
{
	return restack((struct job){ .p = p,
				     .rule = rule_prune,
				     .first = drop,
				     .second = beneath,
				     .workers = workers,
				     .borrow = true });
}

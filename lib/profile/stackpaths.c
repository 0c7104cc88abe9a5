/* SPDX-License-Identifier: MIT */
/*
 * See stackpaths.h.  Two walks over the tree: the first tells how deep each
 * stack is, and so where it will be; the second writes it there.  A walk meets
 * stacks after their callers, so it has those frames at hand.  The second is
 * cut into parts for several workers.
 */
#include "profile/stackpaths.h"

#include <errno.h>
#include <string.h>

#include "base/workers.h"
#include "profile/order.h"

enum {
	WORTH_IT = 50000, /* stacks */
	LONGEST = 4096,	  /* frames of a stack that is written down */
	MOST_TIMES = 4,	  /* as many frames as the table has, in all */
};

struct maker {
	const struct stacktab *stacks;
	const struct stack_order *order;
	struct stackpaths *p;
	uint32_t *depth; /* by stack; above LONGEST: too deep */
	unsigned parts;
};

static void find_depths(struct maker *m)
{
	const struct stack_order *o = m->order;

	for (uint32_t i = 1; i < o->count; i++) {
		const struct stack_node *n = &o->step[i];
		uint64_t depth = (uint64_t)m->depth[order_node(o, n->parent)] +
				 n->length;

		m->depth[order_node(o, i)] = depth > LONGEST ? LONGEST + 1
							     : (uint32_t)depth;
	}
}

/* Returns how much of the pool they take; place 0 is nobody's. */
static uint32_t find_places(struct maker *m, const stack_id *ids,
			    uint32_t count)
{
	uint64_t most = (uint64_t)m->stacks->frames.count * MOST_TIMES;
	uint32_t used = 1;

	if (most > UINT32_MAX)
		most = UINT32_MAX;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t depth = m->depth[ids[i]];
		uint32_t *place = &m->p->place[ids[i]];

		if (!ids[i] || *place || depth > LONGEST ||
		    (uint64_t)used + 1 + depth > most)
			continue;
		*place = used;
		used += 1 + depth;
	}
	return used;
}

/* Puts the run at a position behind its callers' frames.  Returns how many
 * there are then; above LONGEST: too many, and none were put. */
static uint32_t put_run(const struct maker *m, uint32_t position,
			frame_id *frames)
{
	const struct stack_node *n = &m->order->step[position];
	uint32_t depth = m->depth[order_node(m->order, position)];

	if (depth <= LONGEST)
		memcpy(frames + depth - n->length,
		       m->stacks->frames.at + n->first,
		       n->length * sizeof(*frames));
	return depth;
}

static void write_part(void *context, unsigned number)
{
	const struct maker *m = context;
	const struct stack_order *o = m->order;
	uint32_t begin = order_part_start(o, number, m->parts);
	uint32_t end = order_part_start(o, number + 1, m->parts);
	frame_id *pool = m->p->pool.at;
	frame_id frames[LONGEST]; /* of the stack that is walked */

	for (uint32_t i = begin < end ? o->step[begin].parent : 0; i;
	     i = o->step[i].parent)
		put_run(m, i, frames);
	for (uint32_t i = begin; i < end; i++) {
		uint32_t place = m->p->place[order_node(o, i)];
		uint32_t depth;

		order_ask_ahead(o, m->stacks, i);
		depth = put_run(m, i, frames);
		if (!place)
			continue;
		pool[place] = depth;
		memcpy(pool + place + 1, frames, depth * sizeof(*pool));
	}
}

void stackpaths_release(struct stackpaths *p, struct arena *arena)
{
	arena_free(arena, p->place, p->stacks * sizeof(*p->place));
	arena_free(arena, p->depth, p->stacks * sizeof(*p->depth));
	arena_free(arena, p->pool.at, p->pool.capacity * sizeof(*p->pool.at));
	*p = (struct stackpaths){ 0 };
}

static int make(struct maker *m, const stack_id *ids, uint32_t count,
		const struct workers *workers)
{
	struct stackpaths *p = m->p;
	struct arena *arena = m->stacks->arena;
	uint32_t used;

	p->place = ARENA_ARRAY(arena, uint32_t, p->stacks);
	if (!m->depth || !m->order || !p->place)
		return -ENOMEM;
	find_depths(m);
	used = find_places(m, ids, count);
	if (!VEC_RESERVE(&p->pool, arena, used))
		return -ENOMEM;
	p->pool.count = used;
	p->at = p->pool.at;
	workers_run(workers, write_part, m);
	return 0;
}

static bool is_derived(const struct stackpaths *p)
{
	return p->left_out || p->depth;
}

int stack_prepare_reading(const struct stacktab *t, const stack_id *ids,
			  uint32_t count, const struct workers *workers)
{
	struct arena scratch = { 0 };
	struct maker m = {
		.stacks = t,
		.p = t->paths,
		.parts = workers_parts(workers),
	};
	int r;

	if (!t->paths)
		return -ENOMEM;
	if (is_derived(t->paths))
		return 0;
	/* Every change of the tree makes a node, so the count tells. */
	if (t->paths->stacks == t->nodes.count && t->paths->readers >= count)
		return 0;
	stackpaths_release(t->paths, t->arena);
	*t->paths = (struct stackpaths){ .stacks = t->nodes.count,
					 .readers = count };
	if (t->nodes.count < WORTH_IT)
		return 0;
	m.order = stack_order_of(t);
	m.depth = ARENA_ARRAY(&scratch, uint32_t, t->nodes.count);
	r = make(&m, ids, count, workers);
	if (r < 0)
		stackpaths_release(t->paths, t->arena);
	arena_release(&scratch);
	return r;
}

bool stackpaths_are_there(const struct stacktab *t)
{
	return t->paths && t->paths->place && !is_derived(t->paths);
}

/* Of frames that may be anywhere in stacks, which are left out. */
static uint64_t *bits_of(const struct stackpaths_origin *o, struct arena *arena)
{
	uint64_t *bits = ARENA_ARRAY(arena, uint64_t, o->frames / 64 + 1);

	for (uint32_t f = 0; bits && f < o->frames; f++)
		bits[f / 64] |= (uint64_t)o->left_out[f] << (f % 64);
	return bits;
}

static uint32_t *depths_of(const struct stacktab *t)
{
	uint32_t *depth = ARENA_ARRAY(t->arena, uint32_t, t->nodes.count);

	for (stack_id id = 1; depth && id < t->nodes.count; id++)
		depth[id] = depth[t->nodes.at[id].parent] +
			    t->nodes.at[id].length;
	return depth;
}

/* Where the stack is that an old one has become; 0: it is not written down. */
static uint32_t place_of(const struct stackpaths *p,
			 const struct stackpaths_origin *o, stack_id old)
{
	uint32_t place = o->from->paths->place[old];

	if (!place || !o->from_start)
		return place;
	return place + o->from->paths->at[place] - p->depth[o->map[old]];
}

int stackpaths_derive(const struct stacktab *t,
		      const struct stackpaths_origin *o)
{
	struct stackpaths p = {
		.stacks = t->nodes.count,
		.place = ARENA_ARRAY(t->arena, uint32_t, t->nodes.count),
		.at = o->from->paths->at,
	};

	if (o->left_out)
		p.left_out = bits_of(o, t->arena);
	else
		p.depth = depths_of(t);
	if (!t->paths || !p.place || !is_derived(&p))
		return -ENOMEM;
	for (uint32_t i = 0; i < o->count; i++)
		if (o->map[o->ids[i]])
			p.place[o->map[o->ids[i]]] = place_of(&p, o, o->ids[i]);
	*t->paths = p;
	return 0;
}

static uint32_t climb(const struct stacktab *t, stack_id id, frame_id *end,
		      uint32_t room)
{
	uint32_t depth = 0;

	for (; id; id = t->nodes.at[id].parent) {
		const struct stack_node *n = &t->nodes.at[id];
		const frame_id *from = &t->frames.at[n->first];

		for (uint32_t i = n->length; i-- > 0; depth++)
			if (depth < room)
				*--end = from[i];
	}
	return depth;
}

/* Each frame is written before it is judged, so that there must be room for
 * all.  Returns how many stay. */
static uint32_t copy_some(const frame_id *frames, uint32_t depth,
			  const uint64_t *left_out, frame_id *end)
{
	frame_id *at = end;

	for (uint32_t i = depth; i-- > 0;) {
		frame_id f = frames[i];

		at[-1] = f;
		at -= ~left_out[f / 64] >> (f % 64) & 1;
	}
	return (uint32_t)(end - at);
}

uint32_t stack_read(const struct stacktab *t, stack_id id, frame_id *end,
		    uint32_t room)
{
	const struct stackpaths *p = t->paths;
	uint32_t place = p && p->left_out ? p->place[id] : 0;
	const frame_id *frames = place ? p->at + place + 1 : NULL;

	if (!place || frames[-1] > room)
		return climb(t, id, end, room);
	stackpaths_ask_ahead(frames, frames[-1]);
	return copy_some(frames, frames[-1], p->left_out, end);
}

/* SPDX-License-Identifier: MIT */
/* See stackpaths.h. */
#include "profile/stackpaths.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "profile/order.h"

#define STACK_PATH ((uint32_t)1 << 31)

enum {
	WORTH_IT = 50000, /* stacks */
	MOST_HOPS = 4,	  /* about so many, and then a path */
	LONGEST = 4096,	  /* frames of a path */
	CHUNK = 4,	  /* frames that are copied at once, of runs */
	LINE = 16,	  /* and of paths: a line of memory */
};

/*
 * Making.
 */

/* A stack with others above it, while those are looked at. */
struct open_stack {
	uint32_t position;
	uint32_t depth;
	uint32_t path; /* its place in the pool; 0: none */
	uint32_t hops; /* since the last path */
};

struct maker {
	const struct stacktab *stacks;
	struct stackpaths *p;
	struct arena scratch;
	VEC(struct open_stack) open;
	frame_id frames[LONGEST]; /* of the innermost that is open */
};

static struct open_stack go_back(struct maker *m, uint32_t position)
{
	while (m->open.at[m->open.count - 1].position != position)
		m->open.count--;
	return m->open.at[m->open.count - 1];
}

static bool is_worth_a_path(const struct maker *m, const struct open_stack *s)
{
	const struct stackpaths *p = m->p;

	return s->hops >= MOST_HOPS && s->depth <= LONGEST &&
	       p->pool.count + s->depth < m->stacks->frames.count &&
	       p->pool.count < STACK_PATH / 2;
}

/* Writes the path to a stack down; 0: out of memory. */
static uint32_t add_path(struct maker *m, uint32_t depth)
{
	struct stackpaths *p = m->p;
	uint32_t place = p->pool.count;

	if (!VEC_RESERVE(&p->pool, m->stacks->arena, depth + 1))
		return 0;
	p->pool.at[place] = depth;
	memcpy(p->pool.at + place + 1, m->frames, depth * sizeof(frame_id));
	p->pool.count += depth + 1;
	return place;
}

/* Others continue the stack at a position, the frames of which are run. */
static int open_stack(struct maker *m, struct open_stack s, const frame_id *run,
		      uint32_t length)
{
	if (s.depth <= LONGEST)
		memcpy(m->frames + s.depth - length, run,
		       length * sizeof(*run));
	if (is_worth_a_path(m, &s)) {
		s.path = add_path(m, s.depth);
		s.hops = 0;
		if (!s.path)
			return -ENOMEM;
	}
	if (!VEC_RESERVE(&m->open, &m->scratch, 1))
		return -ENOMEM;
	m->open.at[m->open.count++] = s;
	return 0;
}

static int add_stack(struct maker *m, const struct stack_order *o, uint32_t i)
{
	const struct stacktab *t = m->stacks;
	const struct stack_node *n = &o->step[i];
	const frame_id *run = t->frames.at + n->first;
	struct open_stack caller = go_back(m, n->parent);
	stack_id parent = order_node(o, n->parent);
	struct open_stack s = {
		.position = i,
		.depth = caller.depth + n->length < caller.depth
				 ? UINT32_MAX
				 : caller.depth + n->length,
		.hops = caller.hops + 1,
	};

	m->p->hops[order_node(o, i)] = (struct stack_hop){
		.up = caller.path ? STACK_PATH | caller.path : parent,
		.first = n->length == 1 ? *run : n->first,
		.length = n->length,
	};
	if (i + 1 == o->count || o->step[i + 1].parent != i)
		return 0;
	return open_stack(m, s, run, n->length);
}

static int add_stacks(struct maker *m)
{
	struct stackpaths *p = m->p;
	const struct stack_order *o = stack_order_of(m->stacks);
	int r = 0;

	if (!o || !VEC_RESERVE(&p->pool, m->stacks->arena, LINE) ||
	    !VEC_RESERVE(&m->open, &m->scratch, 1))
		return -ENOMEM;
	p->pool.count = LINE; /* which may be read in front of a path */
	m->open.count = 1;    /* the empty stack */
	for (uint32_t i = 1; i < o->count && r == 0; i++)
		r = add_stack(m, o, i);
	return r;
}

void stackpaths_release(struct stackpaths *p, struct arena *arena)
{
	arena_free(arena, p->hops, p->count * sizeof(*p->hops));
	arena_free(arena, p->pool.at, p->pool.capacity * sizeof(*p->pool.at));
	*p = (struct stackpaths){ 0 };
}

static int make(struct stackpaths *p, const struct stacktab *t)
{
	struct arena scratch = { 0 };
	struct maker *m;
	int r = -ENOMEM;

	*p = (struct stackpaths){ .count = t->nodes.count };
	if (p->count < WORTH_IT || p->count >= STACK_PATH)
		return 0;
	m = ARENA_NEW(&scratch, struct maker);
	p->hops = ARENA_ARRAY(t->arena, struct stack_hop, p->count);
	if (m && p->hops) {
		m->p = p;
		m->stacks = t;
		r = add_stacks(m);
		arena_release(&m->scratch);
	}
	arena_release(&scratch);
	return r;
}

int stack_prepare_reading(const struct stacktab *t)
{
	int r;

	if (!t->paths)
		return -ENOMEM;
	/* Every change of the tree makes a node, so the count tells. */
	if (t->paths->count == t->nodes.count)
		return 0;
	stackpaths_release(t->paths, t->arena);
	r = make(t->paths, t);
	if (r < 0)
		stackpaths_release(t->paths, t->arena);
	return r;
}

/*
 * Reading.
 */

/* Where frames go, from the leaf up. */
struct target {
	frame_id *end;
	uint32_t depth; /* so far */
	uint32_t room;
};

static void put_slowly(struct target *to, const frame_id *end, uint32_t length)
{
	for (uint32_t i = 1; i <= length && to->depth + i <= to->room; i++)
		to->end[-(int64_t)(to->depth + i)] = end[-(int64_t)i];
	to->depth += length;
}

/*
 * Puts the run that ends at place after of the table.  Most runs are short, and
 * how short can not be predicted: always a few frames are copied, of which
 * those in front are written over by the callers' run.
 */
static void put_run(struct target *to, const frame_id *frames, uint32_t after,
		    uint32_t length)
{
	frame_id *end = to->end - to->depth;
	const frame_id *from = frames + after;

	if (after < CHUNK || to->depth + length + CHUNK > to->room) {
		put_slowly(to, from, length);
		return;
	}
	memcpy(end - CHUNK, from - CHUNK, CHUNK * sizeof(*end));
	if (length > CHUNK)
		memcpy(end - length, from - length,
		       (length - CHUNK) * sizeof(*end));
	to->depth += length;
}

/* In whole lines: what is too much is in front. */
static void put_path(struct target *to, const frame_id *path)
{
	uint32_t length = path[0];
	const frame_id *from = path + 1 + length;
	frame_id *end = to->end - to->depth;

	if (to->depth + length + LINE > to->room) {
		put_slowly(to, from, length);
		return;
	}
	for (uint32_t i = 0; i < length; i += LINE)
		memcpy(end - i - LINE, from - i - LINE, LINE * sizeof(*end));
	to->depth += length;
}

static uint32_t read_plainly(const struct stacktab *t, stack_id id,
			     struct target *to)
{
	for (; id; id = t->nodes.at[id].parent) {
		const struct stack_node *n = &t->nodes.at[id];

		put_run(to, t->frames.at, n->first + n->length, n->length);
	}
	return to->depth;
}

uint32_t stack_read(const struct stacktab *t, stack_id id, frame_id *end,
		    uint32_t room)
{
	const struct stackpaths *p = t->paths;
	struct target to = { .end = end, .room = room };

	if (!p->hops)
		return read_plainly(t, id, &to);
	while (id) {
		const struct stack_hop *h = &p->hops[id];

		if (h->length == 1)
			put_slowly(&to, &h->first + 1, 1);
		else
			put_run(&to, t->frames.at, h->first + h->length,
				h->length);
		id = h->up;
		if (id & STACK_PATH) {
			put_path(&to, &p->pool.at[id & ~STACK_PATH]);
			break;
		}
	}
	return to.depth;
}

static void warm_path(const frame_id *path)
{
	enum { MOST = 48 }; /* frames: three lines */

	for (uint32_t i = 0; i <= MOST; i += LINE)
		__builtin_prefetch(path + i);
}

void stack_warm(const struct stacktab *t, const stack_id *ids, uint32_t count)
{
	const struct stackpaths *p = t->paths;
	const frame_id *frames = t->frames.at;
	stack_id at[STACK_WARM];
	uint32_t left = p->hops ? count : 0;

	ASSERT(count <= STACK_WARM);
	for (uint32_t i = 0; i < left; i++) {
		at[i] = ids[i];
		__builtin_prefetch(&p->hops[at[i]]);
	}
	while (left) {
		uint32_t still = 0;

		for (uint32_t i = 0; i < left; i++) {
			const struct stack_hop *h = &p->hops[at[i]];

			if (h->length > 1) {
				__builtin_prefetch(&frames[h->first]);
				__builtin_prefetch(
					&frames[h->first + h->length - 1]);
			}
			if (h->up & STACK_PATH) {
				warm_path(&p->pool.at[h->up & ~STACK_PATH]);
			} else if (h->up) {
				__builtin_prefetch(&p->hops[h->up]);
				at[still++] = h->up;
			}
		}
		left = still;
	}
}

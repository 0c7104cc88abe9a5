/* SPDX-License-Identifier: MIT */
/*
 * Ids are no order to walk the stack tree in, since splitting a node puts the
 * newer id above the older.  Two sibling links a node give the order in one
 * pass without a stack of our own, so that a hostile depth costs nothing.
 */
#include "profile/order.h"

#include <errno.h>
#include <string.h>

#include "profile/stackpaths.h"

struct links {
	stack_id child;
	stack_id sibling;
};

static void link_children(struct links *links, const struct stacktab *t)
{
	/* Backwards, so that children come in the order of their ids. */
	for (uint32_t id = t->nodes.count - 1; id > 0; id--) {
		stack_id parent = t->nodes.at[id].parent;

		links[id].sibling = links[parent].child;
		links[parent].child = id;
	}
}

/* The node behind id and all below it; 0 at the end. */
static stack_id after(const struct links *links, const struct stacktab *t,
		      stack_id id)
{
	while (id && !links[id].sibling)
		id = t->nodes.at[id].parent;
	return links[id].sibling;
}

/* Finds the walk's order, and in links[].child each node's position in it. */
static void walk(struct stack_order *o, const struct stacktab *t,
		 struct links *links)
{
	stack_id id = links[0].child;

	o->count = 1;
	links[0].child = 0;
	while (id) {
		const struct stack_node *n = &t->nodes.at[id];
		stack_id below = links[id].child;
		uint32_t at = o->count++;

		/* Where the walk will be after all below this one. */
		__builtin_prefetch(&links[links[id].sibling]);
		__builtin_prefetch(&t->nodes.at[links[id].sibling]);
		o->node[at] = id;
		o->step[at] = (struct stack_node){ links[n->parent].child,
						   n->first, n->length };
		/* Its child is known from here on, its place is not. */
		links[id].child = at;
		id = below ? below : after(links, t, id);
	}
}

int stack_order_make(struct stack_order *o, const struct stacktab *t,
		     struct arena *arena)
{
	uint32_t count = t->nodes.count;
	struct links *links = ARENA_TABLE(arena, struct links, count);

	*o = (struct stack_order){ 0 };
	o->node = ARENA_TABLE(arena, stack_id, count);
	o->step = ARENA_TABLE(arena, struct stack_node, count);
	if (!links || !o->node || !o->step)
		return -ENOMEM;

	link_children(links, t);
	walk(o, t, links);
	arena_free(arena, links, count * sizeof(*links));
	return 0;
}

int64_t order_callers(const struct stack_order *o, uint32_t position,
		      struct arena *arena, uint32_t **ret)
{
	uint32_t count = 0, left;

	for (uint32_t i = position; i; i = o->step[i].parent)
		count += o->step[i].parent != 0;
	*ret = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
	if (!*ret)
		return -ENOMEM;
	left = count;
	for (uint32_t i = o->step[position].parent; i; i = o->step[i].parent)
		(*ret)[--left] = i;
	return count;
}

void stack_order_release(struct stack_order *o, struct arena *arena)
{
	/* Without the first, the second is the table's own. */
	if (o->node) {
		arena_free(arena, o->node, o->count * sizeof(*o->node));
		arena_free(arena, o->step, o->count * sizeof(*o->step));
	}
	*o = (struct stack_order){ 0 };
}

const struct stack_order *stack_order_of(const struct stacktab *t)
{
	struct stack_order *o = t->order;

	if (!o)
		return NULL;
	/* Every change of the tree makes a node, so the count tells. */
	if (o->count == t->nodes.count)
		return o;
	stack_order_release(o, t->arena);
	if (t->in_order) {
		*o = (struct stack_order){ .step = t->nodes.at,
					   .count = t->nodes.count };
		return o;
	}
	return stack_order_make(o, t, t->arena) < 0 ? NULL : o;
}

void stacktab_lay_out(struct stacktab *t)
{
	const struct stack_order *o = stack_order_of(t);
	struct stacktab to = { .arena = t->arena };

	if (t->paths)
		stackpaths_release(t->paths, t->arena);
	/* Without the memory for it, they stay where they are. */
	if (!o || t->in_order ||
	    !VEC_RESERVE(&to.frames, t->arena, t->frames.count))
		return;
	to.frames.count = 1;
	for (uint32_t i = 1; i < o->count; i++) {
		struct stack_node *n = &o->step[i];

		order_ask_ahead(o, t, i);
		memcpy(to.frames.at + to.frames.count, t->frames.at + n->first,
		       n->length * sizeof(frame_id));
		n->first = to.frames.count;
		t->nodes.at[o->node[i]].first = n->first;
		to.frames.count += n->length;
	}
	arena_free(t->arena, t->frames.at,
		   t->frames.capacity * sizeof(*t->frames.at));
	memcpy(&t->frames, &to.frames, sizeof(t->frames));
}

/* SPDX-License-Identifier: MIT */
/*
 * The stack tree is a radix tree: see stack.h.  A plain tree with a node a
 * frame would need sixteen bytes for each frame of a stack's unshared end,
 * which in large profiles is most of all frames.
 */
#include "profile/stack.h"

#include "base/check.h"
#include "base/hash.h"

void stacktab_init(struct stacktab *t, struct arena *arena)
{
	*t = (struct stacktab){ .arena = arena };
	/* Both columns start at 1; a failure shows in arena->failed. */
	(void)VEC_PUSH(&t->nodes, arena);
	(void)VEC_PUSH(&t->frames, arena);
}

void stacktab_release(struct stacktab *t)
{
	size_t slots = t->index.slot ? (size_t)t->index.mask + 1 : 0;

	arena_free(t->arena, t->nodes.at,
		   t->nodes.capacity * sizeof(*t->nodes.at));
	arena_free(t->arena, t->frames.at,
		   t->frames.capacity * sizeof(*t->frames.at));
	arena_free(t->arena, t->index.slot, slots * sizeof(*t->index.slot));
	*t = (struct stacktab){ .arena = t->arena };
}

static stack_id find_child(const struct stacktab *t, stack_id parent,
			   frame_id frame)
{
	uint32_t hash = hash_pair(parent, frame);
	uint32_t i = table_start(&t->index, hash);
	uint32_t id;

	for (; (id = table_id(&t->index, i, hash)) != TABLE_END;
	     i = table_next(&t->index, i)) {
		const struct stack_node *n = &t->nodes.at[id];

		if (id && n->parent == parent &&
		    t->frames.at[n->first] == frame)
			return id;
	}
	return 0;
}

static stack_id fail(struct stacktab *t)
{
	t->arena->failed = true;
	return 0;
}

/*
 * Frames arrive in the order they are read: caller's side first (step 1) or
 * leaf first (step -1, starting at the last).
 */
struct walk {
	const frame_id *next;
	uint32_t left;
	int step;
};

static frame_id walk_take(struct walk *w)
{
	frame_id frame = *w->next;

	w->left--;
	if (w->left)
		w->next += w->step;
	return frame;
}

/* A new leaf below parent holding all that is left. */
static stack_id append_run(struct stacktab *t, stack_id parent, struct walk *w)
{
	uint32_t first = t->frames.count;
	uint32_t length = w->left;
	frame_id head = *w->next;
	struct stack_node *n;

	if (!VEC_RESERVE(&t->frames, t->arena, length))
		return fail(t);
	n = VEC_PUSH(&t->nodes, t->arena);
	if (!n)
		return fail(t);
	*n = (struct stack_node){ parent, first, length };
	while (w->left)
		t->frames.at[t->frames.count++] = walk_take(w);
	if (!table_add(&t->index, t->arena, hash_pair(parent, head),
		       t->nodes.count - 1))
		return fail(t);
	return t->nodes.count - 1;
}

/*
 * Cuts node id after its first keep frames.  The upper part becomes a new node,
 * whose id is returned; the lower part keeps the old id and so the old stack.
 */
static stack_id split(struct stacktab *t, stack_id id, uint32_t keep)
{
	struct stack_node *upper = VEC_PUSH(&t->nodes, t->arena);
	struct stack_node *lower = &t->nodes.at[id];
	stack_id upper_id = t->nodes.count - 1;
	frame_id tail;

	if (!upper)
		return fail(t);
	ASSERT(keep > 0 && keep < lower->length);
	tail = t->frames.at[lower->first + keep];
	*upper = (struct stack_node){ lower->parent, lower->first, keep };
	if (!table_add(&t->index, t->arena, hash_pair(upper_id, tail), id))
		return fail(t);
	table_replace(&t->index,
		      hash_pair(lower->parent, t->frames.at[lower->first]), id,
		      upper_id);
	lower->parent = upper_id;
	lower->first += keep;
	lower->length -= keep;
	return upper_id;
}

/* Follows node id as far as it agrees; returns how many frames did. */
static uint32_t match_run(const struct stacktab *t, stack_id id, struct walk *w)
{
	const struct stack_node *n = &t->nodes.at[id];
	const frame_id *run = &t->frames.at[n->first];
	uint32_t same = 0;

	while (same < n->length && w->left && run[same] == *w->next) {
		walk_take(w);
		same++;
	}
	return same;
}

static stack_id add(struct stacktab *t, stack_id at, struct walk w)
{
	while (w.left) {
		stack_id child = find_child(t, at, *w.next);
		uint32_t same;

		if (!child)
			return append_run(t, at, &w);
		same = match_run(t, child, &w);
		if (same < t->nodes.at[child].length) {
			child = split(t, child, same);
			if (!child)
				return 0;
		}
		at = child;
	}
	return at;
}

stack_id stack_add(struct stacktab *t, stack_id caller, const frame_id *frames,
		   uint32_t count)
{
	return add(t, caller,
		   (struct walk){ .next = frames, .left = count, .step = 1 });
}

stack_id stack_add_leaf_first(struct stacktab *t, const frame_id *frames,
			      uint32_t count)
{
	if (!count)
		return 0;
	return add(t, 0,
		   (struct walk){ .next = frames + count - 1,
				  .left = count,
				  .step = -1 });
}

uint32_t stack_depth(const struct stacktab *t, stack_id id)
{
	uint32_t depth = 0;

	for (; id; id = t->nodes.at[id].parent)
		depth += t->nodes.at[id].length;
	return depth;
}

uint32_t stack_frames(const struct stacktab *t, stack_id id, frame_id *ret,
		      uint32_t room)
{
	uint32_t depth = 0;

	for (; id; id = t->nodes.at[id].parent) {
		const struct stack_node *n = &t->nodes.at[id];

		for (uint32_t i = n->length; i-- > 0; depth++)
			if (depth < room)
				ret[depth] = t->frames.at[n->first + i];
	}
	return depth;
}

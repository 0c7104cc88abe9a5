/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_STACK_H
#define WICK_PROFILE_STACK_H

#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"

typedef uint32_t frame_id; /* index into the profile's locations; 0: none */
typedef uint32_t stack_id; /* 0: the empty stack */

/*
 * A node of the tree: a run of frames, its caller's side first, that continues
 * the stack parent.  Frames which no other stack diverges from share one node,
 * so a deep stack that is unlike all others costs four bytes a frame.
 */
struct stack_node {
	stack_id parent;
	uint32_t first; /* index into stacktab.frames */
	uint32_t length;
};

/*
 * Every call stack of a profile, as a tree with its roots at the threads'
 * starts.  Equal stacks have equal ids, so storing or comparing a stack costs
 * four bytes whatever its depth.  Adding a stack may split a node: ids keep
 * naming the same stack, but their nodes' parents and lengths change.
 *
 * The memory belongs to the arena, which must outlive the table.  One thread at
 * a time.
 */
struct stacktab {
	struct arena *arena;
	VEC(struct stack_node) nodes; /* [0]: the empty stack */
	VEC(frame_id) frames;
	struct table index; /* (parent, first frame) -> node */
};

void stacktab_init(struct stacktab *t, struct arena *arena);

/* Gives the arena back what it can take early; optional. */
void stacktab_release(struct stacktab *t);

/*
 * Returns the stack that calls the count frames, caller's side first, from the
 * stack caller (0: a thread's start), or 0 with the arena's failed flag set
 * when memory ran out.  With count 0 it is caller itself.
 */
stack_id stack_add(struct stacktab *t, stack_id caller, const frame_id *frames,
		   uint32_t count);

/* As stack_add(), frames given leaf first, as most formats store them. */
stack_id stack_add_leaf_first(struct stacktab *t, const frame_id *frames,
			      uint32_t count);

/* Number of frames. */
uint32_t stack_depth(const struct stacktab *t, stack_id id);

/*
 * Writes at most room frames, leaf first, and returns the depth, which may be
 * more than room.
 */
uint32_t stack_frames(const struct stacktab *t, stack_id id, frame_id *ret,
		      uint32_t room);

#endif /* WICK_PROFILE_STACK_H */

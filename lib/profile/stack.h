/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_STACK_H
#define WICK_PROFILE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct stack_order;
struct stackpaths;

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
 * Where the tree goes on from a stack with a frame.  What a walk down the tree
 * needs to know of the node it leads to is here as well: each step then waits
 * for memory once.
 */
struct stack_edge {
	stack_id parent;
	frame_id frame;
	stack_id child;	 /* 0: an empty slot */
	uint32_t length; /* of the child's run */
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
	uint32_t frames_ready; /* up to here memory was taken ahead */
	uint64_t key[2];
	struct stack_edge *edges; /* a hash table, open addressing */
	uint32_t edge_mask;	  /* slots - 1 */
	uint32_t edge_shift;	  /* from a hash to a slot */
	uint32_t edge_count;
	struct stack_order *order; /* see stack_order_of() */
	struct stackpaths *paths;  /* see stackpaths.h */
	bool in_order;		   /* see stacktab_init_in_order() */
	bool borrowing;		   /* the frames are another table's */
};

void stacktab_init(struct stacktab *t, struct arena *arena);

/* For an empty table that about so many stacks will be added to: what is large
 * from the start need not grow.  Optional; a failure shows in the arena. */
void stacktab_expect(struct stacktab *t, uint64_t stacks);

/*
 * A table whose stacks are added with stack_add_in_order() alone, each after
 * its caller and each subtree in one piece: then nothing is looked up, and ids
 * are the order of a walk.  Equal stacks may have several ids.  With lender, a
 * table that outlives this one, frames are those of lender.
 */
void stacktab_init_in_order(struct stacktab *t, const struct stacktab *lender,
			    struct arena *arena);

/* Gives the arena back what it can take early; optional. */
void stacktab_release(struct stacktab *t);

/* The same, but for the frames, which another table borrows. */
void stacktab_release_tree(struct stacktab *t);

/*
 * Returns the stack that calls the count frames, caller's side first, from the
 * stack caller (0: a thread's start), or 0 with the arena's failed flag set
 * when memory ran out.  With count 0 it is caller itself.
 */
stack_id stack_add(struct stacktab *t, stack_id caller, const frame_id *frames,
		   uint32_t count);

/*
 * The stack that calls, from caller, the count frames of the table from index
 * first on; see stacktab_init_in_order().  Otherwise as stack_add().
 */
stack_id stack_add_in_order(struct stacktab *t, stack_id caller, uint32_t first,
			    uint32_t count);

/* As stack_add(), frames given leaf first, as most formats store them. */
stack_id stack_add_leaf_first(struct stacktab *t, const frame_id *frames,
			      uint32_t count);

/*
 * Adds count stacks at once, which in a large table is several times as fast
 * as one after the other.  Stack i is, leaf first, the frames from ends[i - 1]
 * (from 0 if it is the first) up to ends[i]; its id becomes ret[i].
 */
void stack_add_many(struct stacktab *t, const frame_id *frames,
		    const uint32_t *ends, uint32_t count, stack_id *ret);

/* Number of frames. */
uint32_t stack_depth(const struct stacktab *t, stack_id id);

/*
 * Writes at most room frames, leaf first, and returns the depth, which may be
 * more than room.
 */
uint32_t stack_frames(const struct stacktab *t, stack_id id, frame_id *ret,
		      uint32_t room);

#endif /* WICK_PROFILE_STACK_H */

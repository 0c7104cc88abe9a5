/* SPDX-License-Identifier: MIT */
/*
 * What a walk over the stack tree has met on the path from the root: nodes, and
 * edges between them, each of which counts once a path however often it recurs.
 *
 * A node keeps by which edge it was first met.  Another edge to a node that is
 * on the path already is rare; those alone are in a table.
 */
#ifndef WICK_PROFILE_PATHMARKS_H
#define WICK_PROFILE_PATHMARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"
#include "profile/node.h"

/* The mark of what is on the path from the root; others are positions. */
#define ON_PATH UINT32_MAX

struct node_mark {
	uint32_t mark;
	node_id from; /* the edge by which it was met; 0: by none */
};

struct edge_mark {
	node_id from;
	node_id to;
	uint32_t mark;
};

/* One thread at a time.  The memory is the arena's. */
struct pathmarks {
	struct arena *arena;
	struct node_mark *nodes;
	VEC(struct edge_mark) again; /* [0] unused */
	struct table index;	     /* of those */
	VEC(uint32_t) undo;	     /* nodes, or AGAIN and a row of again */
};

enum meeting {
	MET_BEFORE,   /* this very edge */
	MET_EDGE,     /* a new edge to a node that is on the path */
	MET_NODE,     /* both are new */
	MET_NO_MEMORY /* out of it */
};

/* A failure shows in the arena. */
void pathmarks_init(struct pathmarks *p, uint32_t nodes, struct arena *arena);

/* Takes marks of ON_PATH back until there are height of them. */
void pathmarks_undo(struct pathmarks *p, uint32_t height);

/* For pathmarks_meet(): to is on the path, and this is another edge to it. */
enum meeting pathmarks_meet_again(struct pathmarks *p, node_id from, node_id to,
				  uint32_t mark);

/* Whether a node is not on the path yet; mark as for pathmarks_meet(). */
static inline bool pathmarks_is_new(const struct pathmarks *p, node_id to,
				    uint32_t mark)
{
	return p->nodes[to].mark < mark;
}

/* Meets such a node, if for ON_PATH there is room in undo. */
static inline void pathmarks_set(struct pathmarks *p, node_id from, node_id to,
				 uint32_t mark)
{
	p->nodes[to] = (struct node_mark){ mark, from };
	if (mark == ON_PATH)
		p->undo.at[p->undo.count++] = to;
}

/*
 * Meets node to, coming from another (0: from nowhere), in a run of frames
 * whose mark is ON_PATH if others continue it, or else a number above those of
 * all such runs before it.  Then marks of theirs mean nothing any more, while
 * those of ON_PATH must be taken back.
 */
static inline enum meeting pathmarks_meet(struct pathmarks *p, node_id from,
					  node_id to, uint32_t mark)
{
	if (!pathmarks_is_new(p, to, mark))
		return from == p->nodes[to].from || from == to
			       ? MET_BEFORE
			       : pathmarks_meet_again(p, from, to, mark);
	if (mark == ON_PATH && !VEC_RESERVE(&p->undo, p->arena, 1))
		return MET_NO_MEMORY;
	pathmarks_set(p, from, to, mark);
	return MET_NODE;
}

#endif /* WICK_PROFILE_PATHMARKS_H */

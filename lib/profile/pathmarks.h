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

/*
 * Meets node to, coming from another (0: from nowhere), in a run of frames
 * whose mark is ON_PATH if others continue it, or else a number above those of
 * all such runs before it.  Then marks of theirs mean nothing any more, while
 * those of ON_PATH must be taken back.
 */
static inline enum meeting pathmarks_meet(struct pathmarks *p, node_id from,
					  node_id to, uint32_t mark)
{
	struct node_mark *m = &p->nodes[to];

	if (m->mark >= mark)
		return from == m->from || from == to
			       ? MET_BEFORE
			       : pathmarks_meet_again(p, from, to, mark);
	*m = (struct node_mark){ mark, from };
	if (mark != ON_PATH)
		return MET_NODE;
	if (!VEC_RESERVE(&p->undo, p->arena, 1))
		return MET_NO_MEMORY;
	p->undo.at[p->undo.count++] = to;
	return MET_NODE;
}

#endif /* WICK_PROFILE_PATHMARKS_H */

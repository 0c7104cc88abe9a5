/* SPDX-License-Identifier: MIT */
/* See pathmarks.h. */
#include "profile/pathmarks.h"

#include "base/hash.h"

#define AGAIN ((uint32_t)1 << 31)

void pathmarks_init(struct pathmarks *p, uint32_t nodes, struct arena *arena)
{
	*p = (struct pathmarks){ .arena = arena };
	p->nodes = ARENA_TABLE(arena, struct node_mark, nodes);
	(void)VEC_PUSH(&p->again, arena);
}

void pathmarks_undo(struct pathmarks *p, uint32_t height)
{
	while (p->undo.count > height) {
		uint32_t what = p->undo.at[--p->undo.count];

		if (what & AGAIN)
			p->again.at[what & ~AGAIN].mark = 0;
		else
			p->nodes[what].mark = 0;
	}
}

static uint32_t find(const struct pathmarks *p, uint32_t hash, node_id from,
		     node_id to)
{
	uint32_t i = table_start(&p->index, hash);
	uint32_t id;

	for (; (id = table_id(&p->index, i, hash)) != TABLE_END;
	     i = table_next(&p->index, i))
		if (id && p->again.at[id].from == from &&
		    p->again.at[id].to == to)
			return id;
	return 0;
}

/* The row of an edge, made if it is not there; 0: out of memory. */
static uint32_t row_of(struct pathmarks *p, node_id from, node_id to)
{
	uint32_t hash = hash_pair(from, to);
	uint32_t id = find(p, hash, from, to);
	struct edge_mark *row;

	if (id)
		return id;
	row = p->again.count < AGAIN ? VEC_PUSH(&p->again, p->arena) : NULL;
	if (!row)
		return 0;
	*row = (struct edge_mark){ .from = from, .to = to };
	id = p->again.count - 1;
	return table_add(&p->index, p->arena, hash, id) ? id : 0;
}

enum meeting pathmarks_meet_again(struct pathmarks *p, node_id from, node_id to,
				  uint32_t mark)
{
	uint32_t id = row_of(p, from, to);

	if (!id)
		return MET_NO_MEMORY;
	if (p->again.at[id].mark >= mark)
		return MET_BEFORE;
	p->again.at[id].mark = mark;
	if (mark != ON_PATH)
		return MET_EDGE;
	if (!VEC_RESERVE(&p->undo, p->arena, 1))
		return MET_NO_MEMORY;
	p->undo.at[p->undo.count++] = AGAIN | id;
	return MET_EDGE;
}

/* SPDX-License-Identifier: MIT */
/*
 * The same as callnames.h, for a call tree that is listed, not made.  A
 * function in it is mentioned by its only caller, where it gets the next
 * number: so it is enough to know how many numbers were given before some
 * places of the list, and which place writes a name that several mention.
 */
#ifndef WICK_REPORT_TREENAMES_H
#define WICK_REPORT_TREENAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "report/treekin.h"

struct workers;

/* Nodes of the list that are written one after the other. */
enum { TREE_BLOCK = 256 };

/* Where a name gets its number: by the entry at a place (0) or its first,
 * second, ... call. */
struct mention {
	uint32_t number; /* 0: nobody has mentioned it */
	uint32_t place;
	uint32_t by;
};

static inline bool is_first_mention(const struct mention *m, uint32_t place,
				    uint32_t by)
{
	return m->number && m->place == place && m->by == by;
}

/* By function: the number it has got at a place, for who calls it there once
 * more. */
struct again {
	uint32_t place; /* and one more; 0: none */
	uint32_t number;
};

/* The memory is the arena's that it was made with. */
struct treenames {
	const struct treelist *list;
	const struct treekin *kin;
	const struct nodetab *nodes;
	struct mention *objects; /* by str_id */
	struct mention *files;
	struct mention *names; /* those that have no number behind them */
	uint32_t *before;      /* by block: numbers of names given before it */
	uint32_t blocks;
};

/* The place behind the last of a block. */
static inline uint32_t treenames_block_end(const struct treenames *n,
					   uint32_t block)
{
	uint64_t end = ((uint64_t)block + 1) * TREE_BLOCK;
	uint32_t count = treelist_count(n->list);

	return end < count ? (uint32_t)end : count;
}

/* Who has set the list and what belongs to it must keep it.  strings: str_ids
 * are less.  Returns 0 or -ENOMEM. */
int treenames_make(struct treenames *n, const struct workers *workers,
		   uint32_t strings, struct arena *arena);

#endif /* WICK_REPORT_TREENAMES_H */

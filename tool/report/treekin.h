/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_TREEKIN_H
#define WICK_REPORT_TREEKIN_H

#include <stdint.h>

#include "profile/node.h"
#include "profile/treelist.h"

/* Functions of one name and file in a call tree. */
struct kin_family {
	str_id name;
	str_id file;
	uint32_t count; /* of functions */
	uint32_t first; /* of its repeats */
	uint32_t repeats;
};

/* A node that is the same function as one before it: a caller has called the
 * function at several places. */
struct kin_repeat {
	uint32_t turn;
	uint32_t of; /* the turn of the first */
};

/*
 * The same as namesakes, for a tree that is listed, not made: in it each node
 * is a function of its own, but for those that one node calls.  The memory is
 * the arena's.
 */
struct treekin {
	uint32_t *family;   /* by node_id; [0] of none */
	uint32_t *function; /* by node_id: those of one family, binary and
			       line are the same if one node calls them */
	VEC(struct kin_family) families; /* [0] unused */
	uint32_t functions;
	struct kin_repeat *repeats; /* of each family, by turn */
};

/* Finds families and functions.  Returns 0 or -ENOMEM. */
int treekin_make(struct treekin *k, const struct nodetab *nodes,
		 struct arena *arena);

/*
 * Counts the functions of a list of so many runs that was made with those
 * families.  Returns 0, -ENOMEM, or -ENOTSUP if two families would read the
 * same.
 */
int treekin_count(struct treekin *k, const struct treelist *l, uint32_t runs,
		  struct arena *arena);

/* The number of a node among the functions of its family, from 1 on. */
uint32_t treekin_rank(const struct treekin *k, uint32_t family, uint32_t turn);

#endif /* WICK_REPORT_TREEKIN_H */

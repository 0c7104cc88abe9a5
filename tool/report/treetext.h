/* SPDX-License-Identifier: MIT */
/*
 * A call tree, ready to be written in callgrind's format: all that is the same
 * in any unit.  A large tree has tens of millions of nodes and is gigabytes of
 * text, so neither is made: there is a list of the nodes, who is called what,
 * and the texts that calls are put together from.
 */
#ifndef WICK_REPORT_TREETEXT_H
#define WICK_REPORT_TREETEXT_H

#include <stdint.h>

#include "base/arena.h"
#include "report/treenames.h"

struct graph_request;

enum {
	TREE_STRIDE = 32,	 /* bytes behind any text can be read, too */
	TREE_LONGEST_NAME = 512, /* of those that have texts */
};

/*
 * What is said in calls of an entry, which is read for each of them: one line
 * of memory, and texts that it has in common with others.  A call is the text
 * of its file, a number, that of its function, the number of that among its
 * family, the rest of it, an address, which may be the one that is known as
 * text, and the text of its line.
 */
struct tree_card {
	_Alignas(64) uint64_t address;
	uint32_t file; /* where its text is; 0: calls are not made of texts */
	uint32_t function;
	uint32_t to_turn;    /* as in the list */
	uint32_t file_place; /* where the file is mentioned first */
	uint32_t file_by;
	uint16_t function_len;
	uint8_t rest_len;
	uint8_t file_len;
	uint8_t address_len;
	uint8_t line_len;
	char address_line[30]; /* the one behind the other */
};

_Static_assert(sizeof(struct tree_card) == 64, "a line of memory");

struct treetext {
	struct arena arena;	     /* all is in it */
	const struct nodetab *nodes; /* borrowed */
	struct treelist list;
	struct treekin kin;
	struct treenames names;
	struct tree_card *cards; /* by node_id */
	const char *texts;
};

/*
 * The tree of a request that has weights, and whose nodes must stay.  Returns
 * 0, -ENOMEM, -ECANCELED when it was told to stop, or -ENOTSUP if the tree has
 * to be made: for a mean, where values are negative, and see treelist_make().
 */
int treetext_make(struct treetext *t, const struct graph_request *q);
void treetext_release(struct treetext *t);

#endif /* WICK_REPORT_TREETEXT_H */

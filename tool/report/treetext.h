/* SPDX-License-Identifier: MIT */
/*
 * A call tree, ready to be written in callgrind's format: all that is the same
 * in any unit.  A large tree has tens of millions of nodes and is gigabytes of
 * text, so neither is made: there is a list of the nodes, who is called what,
 * and the texts that calls are put together from.
 */
#ifndef WICK_REPORT_TREETEXT_H
#define WICK_REPORT_TREETEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "report/treecards.h"
#include "report/treenames.h"

struct graph_request;

struct treetext {
	struct arena arena;	     /* all is in it */
	const struct nodetab *nodes; /* borrowed */
	struct treelist list;
	struct treekin kin;
	struct treenames names;
	struct treecards cards;
};

/*
 * The tree of a request that has weights, and whose nodes must stay.  Returns
 * 0, -ENOMEM, -ECANCELED when it was told to stop, or -ENOTSUP if the tree has
 * to be made: where values are negative, and see runtree_make() and
 * treelist_make().  by_cum: in order by what nodes weigh.
 */
int treetext_make(struct treetext *t, const struct graph_request *q,
		  bool by_cum);
void treetext_release(struct treetext *t);

#endif /* WICK_REPORT_TREETEXT_H */

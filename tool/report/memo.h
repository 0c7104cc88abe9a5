/* SPDX-License-Identifier: MIT */
/*
 * What reports on the same samples have in common, kept from one report to the
 * next.  At a prompt most questions are about the whole profile, and adding it
 * up by node is half of each answer.  What filters leave is not kept: they
 * change from question to question.
 */
#ifndef WICK_REPORT_MEMO_H
#define WICK_REPORT_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "profile/graph.h"

struct report_context;

enum {
	MEMO_ENTRIES = 3, /* functions, lines and addresses, say */
};

/* The nodes of a granularity and what each of them spends. */
struct memo_entry {
	struct arena arena;
	uint64_t key;
	struct nodetab nodes;
	struct stack_weights weights;
	struct graph graph; /* no edges */
};

/* For reports on one profile, which must not change.  Zeroed: empty. */
struct report_memo {
	struct memo_entry entry[MEMO_ENTRIES];
	unsigned next; /* the one to be replaced */
};

void memo_release(struct report_memo *m);

/*
 * The entry for a context and the nodes it wants, made if need be.  NULL if the
 * context has no memo, or not all of the profile, or there is no memory.
 */
const struct memo_entry *memo_get(const struct report_context *c,
				  const struct node_options *options,
				  const struct graph_request *request);

#endif /* WICK_REPORT_MEMO_H */

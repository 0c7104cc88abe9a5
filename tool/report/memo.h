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
#include "profile/trim.h"

struct ahead;
struct report_context;

enum {
	MEMO_ENTRIES = 4, /* functions, lines and addresses, say */
};

/* The nodes of a granularity and what each of them spends. */
struct memo_entry {
	struct arena arena;
	uint64_t key;
	uint64_t nodes_key;
	struct nodetab nodes;
	struct stack_weights weights;
	struct graph graph; /* no edges */

	/* With all edges, and nothing cut away. */
	unsigned whole_kind; /* 0: not there */
	struct arena whole_arena;
	struct graph_request whole_request;
	struct trimmed whole;
};

/* For reports on one profile, which must not change.  Zeroed: empty. */
struct report_memo {
	struct memo_entry *entry[MEMO_ENTRIES]; /* NULL: none */
	unsigned next;				/* the one to be replaced */
	struct ahead *ahead; /* who makes entries meanwhile; or NULL */
};

void memo_release(struct report_memo *m);

/* What is asked of a memo. */
struct memo_question {
	const struct report_context *context;
	const struct node_options *nodes;
	const struct graph_request *request; /* its profile outlives the memo */
	const struct trim_options *trim;
	bool few_edges; /* are needed: all are welcome, but too much work */
};

/*
 * The entry for a question, made if need be.  It has the whole graph if that is
 * what the question asks to trim and nothing would be cut away.  NULL if the
 * context has no memo, or not all of the profile, or there is no memory.
 */
const struct memo_entry *memo_get(const struct memo_question *q);

/*
 * The nodes alone, if some entry has those that the question is about, or one
 * that was made ahead: filters that change stacks leave them as they are. NULL:
 * none has.
 */
const struct nodetab *memo_nodes(const struct memo_question *q);

/* The whole graph, if the entry has the very one that is asked for; or NULL. */
const struct trimmed *memo_whole(const struct memo_entry *e,
				 const struct trim_options *options);

/* Whether a context is about all of its profile: no other is remembered. */
bool memo_is_about(const struct report_context *c);

/* An entry for nobody's memo yet, without the whole graph if the request finds
 * that too large.  NULL: out of memory, or stopped. */
struct memo_entry *memo_entry_make(const struct memo_question *q);
void memo_entry_release(struct memo_entry *e);
uint64_t memo_key(const struct memo_question *q);

#endif /* WICK_REPORT_MEMO_H */

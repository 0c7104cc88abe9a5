/* SPDX-License-Identifier: MIT */
/*
 * What reports on the same samples have in common, kept from one report to the
 * next.  At a prompt one question follows another about the same, and adding it
 * up by node is half of each answer.
 */
#ifndef WICK_REPORT_MEMO_H
#define WICK_REPORT_MEMO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "profile/graph.h"
#include "profile/trail.h"
#include "profile/trim.h"
#include "report/sharedarena.h"
#include "report/treetext.h"

struct ahead;
struct report_context;

enum {
	MEMO_ENTRIES = 8, /* functions, lines, addresses and what list wants,
			     of two values */
};

/* What stacks weigh, for all that is about the same value. */
struct memo_weights {
	struct sample_value value;
	struct stack_weights at;
	struct shared_arena *in; /* NULL: not there */
};

/* The nodes of a granularity. */
struct memo_nodes {
	struct nodetab at;
	struct shared_arena *in; /* NULL: not there */
	struct shared_arena *ranks_in;
	struct shared_arena *places_in; /* who has which, if it is not there */
};

/* The nodes of a granularity and what each of them spends.  Of these, entries
 * have in common what they can: see sharedarena.h. */
struct memo_entry {
	struct arena arena; /* this is in it, and nothing else */
	uint64_t key;
	uint64_t nodes_key;
	uint64_t used; /* when it was asked for last */
	struct memo_nodes nodes;
	struct memo_nodes similar; /* the kin's, until there are nodes; or
				      none */
	struct memo_weights weights;
	struct graph graph; /* all edges, or none; empty: see whole */
	struct shared_arena *graph_in;

	/* With all edges, and nothing cut away. */
	unsigned whole_kind;  /* 0: not there */
	bool whole_too_large; /* to be made unasked */
	struct arena whole_arena;
	struct graph_request whole_request;
	struct trimmed whole;

	/* Or the call tree, which takes too much memory to have both. */
	enum { TREE_UNASKED, TREE_READY, TREE_UNFIT } tree_state;
	bool tree_by_cum;
	struct treetext tree;
};

enum { MEMO_TRAILS = 2 }; /* functions and addresses */

/*
 * Trails of all stacks, from which whole graphs are made.  There are none of
 * what filters leave of stacks, since one takes longer to make than a graph.
 */
struct memo_trails {
	uint64_t nodes_key[MEMO_TRAILS];
	struct trail at[MEMO_TRAILS];
	atomic_uint count; /* those stay as they are */
};

/* What has become of a profile's code in another that was made of it. */
enum memo_kinship {
	KIN_SAME,
	KIN_LOST_LINES,
	KIN_HAS_MORE, /* locations, behind all others */
};

/* For reports on one profile, which must not change. */
struct report_memo {
	const struct profile *profile; /* outlives this */
	const struct report_memo *kin; /* of one with similar code; or NULL */
	enum memo_kinship kinship;     /* with that */
	struct memo_trails *trails;    /* of the same stacks; or NULL */
	struct memo_trails own_trails;
	struct memo_entry *entry[MEMO_ENTRIES]; /* NULL: none */
	uint64_t uses;
	struct ahead *ahead; /* who makes entries meanwhile; or NULL */
};

void memo_release(struct report_memo *m);

/* What is asked of a memo. */
struct memo_question {
	const struct report_context *context;
	const struct node_options *nodes;
	const struct graph_request *request;
	const struct trim_options *trim;
	const struct memo_weights *weights; /* of its value; or NULL */
	bool lists_trees; /* as treetext.h does, where they are to be had */
	bool few_edges;	  /* are needed: all are welcome, but too much work */
};

/*
 * The entry for a question, made if need be.  It has the whole graph, or the
 * tree, if that is what the question asks to trim and nothing would be cut
 * away, though a tree may not be fit to be listed.  NULL if the context has no
 * memo, or there is no memory.
 */
const struct memo_entry *memo_get(const struct memo_question *q);

/* The whole graph, if the entry has the very one that is asked for; or NULL. */
const struct trimmed *memo_whole(const struct memo_entry *e,
				 const struct trim_options *options);

/* The tree, likewise. */
const struct treetext *memo_tree(const struct memo_entry *e,
				 const struct trim_options *options);

/* Whether the entry has all that it can have of what a question asks to trim:
 * the whole graph or the tree, where nothing would be cut away. */
bool memo_has_whole(const struct memo_entry *e, const struct memo_question *q);

/* Whether a call tree is asked for that is only to be listed. */
bool memo_wants_tree(const struct memo_question *q);

/*
 * The same in steps, for who makes an entry that is in nobody's memo yet.  It
 * starts with nothing but the nodes, where the memo knows them, and everything
 * else needs no memo: what its nodes spend, then the whole graph unless the
 * request finds that too large.  NULL, or a negative errno: out of memory, or
 * stopped.
 */
struct memo_entry *memo_entry_start(const struct memo_question *q);
int memo_entry_add_nodes(struct memo_entry *e, const struct memo_question *q);
int memo_entry_add_whole(struct memo_entry *e, const struct memo_question *q);

/* Before all that: the nodes, if it has none, while another thread weighs. */
int memo_entry_add_nodetab(struct memo_entry *e, const struct memo_question *q);

/*
 * Before the whole graph: makes the trail of an entry's nodes, if its memo has
 * trails, room for one more, and it is not too large.  By one thread at a time.
 * Returns 0 or a negative errno.
 */
int memo_entry_add_trail(struct memo_entry *e, const struct memo_question *q);

/* Another entry that has the same, but no edges and no whole graph. */
struct memo_entry *memo_entry_copy(const struct memo_entry *e);
void memo_entry_release(struct memo_entry *e);

/* Of the nodes and the values that a question is about; never 0. */
uint64_t memo_key(const struct memo_question *q);

/*
 * Gives an entry to the memo, which releases the one of the same key for it, or
 * else the one that was not asked for the longest.  Returns the entry.  NULL:
 * nothing happens.
 */
struct memo_entry *memo_keep(struct report_memo *m, struct memo_entry *e);

/* The entry of a key that is there already; NULL: none. */
const struct memo_entry *memo_find(const struct report_memo *m, uint64_t key);

/* The weights of a value that are there already; NULL: none. */
const struct memo_weights *memo_find_weights(const struct report_memo *m,
					     struct sample_value value);

/* Those of a request.  The caller leaves them; none: there is no memory. */
struct memo_weights memo_weights_make(const struct graph_request *q);

#endif /* WICK_REPORT_MEMO_H */

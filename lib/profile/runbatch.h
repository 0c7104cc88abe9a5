/* SPDX-License-Identifier: MIT */
/*
 * Runs of frames on their way to who adds them up.  What a walk over a large
 * tree touches is all over memory, and waiting for it is most of the work.  So
 * runs are gathered as lists of nodes, and while one list is put together what
 * its nodes will need is on its way; then the batch is handed on.
 */
#ifndef WICK_PROFILE_RUNBATCH_H
#define WICK_PROFILE_RUNBATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/node.h"
#include "profile/weight.h"

struct graph_walk;
struct node_mark;
struct runbatch;

/* Of a node in a run: it was called by the one before it, and inlined there. */
#define RUN_INLINED ((uint32_t)1 << 31)

/* A run, or a part of a long one. */
struct run {
	uint32_t position; /* as in the walk's order */
	uint32_t mark;	   /* as in pathmarks.h */
	struct weight sum;
	uint32_t first; /* in the batch */
	uint32_t count;
	bool begins;
	bool ends;
};

enum {
	BATCH_NODES = 256,
	BATCH_RUNS = 64,
};

/* Takes all runs of a batch.  Returns 0 or a negative errno. */
typedef int runbatch_take(void *context, const struct runbatch *b);

struct runbatch {
	const struct graph_walk *walk;
	runbatch_take *take;
	void *context;
	/* What take will touch of each node, and at the end of a run (or
	 * NULL): arrays by node_id. */
	const struct node_mark *near;
	const uint64_t *ends_near;

	uint32_t node_count;
	uint32_t run_count;
	uint32_t nodes[BATCH_NODES]; /* the caller's side of a run first */
	struct run runs[BATCH_RUNS];
};

/* Adds the run at a position.  Returns 0 or what take did. */
int runbatch_add(struct runbatch *b, uint32_t position, uint32_t mark,
		 struct weight sum);

/* Hands everything on.  Returns 0 or what take did. */
int runbatch_flush(struct runbatch *b);

#endif /* WICK_PROFILE_RUNBATCH_H */

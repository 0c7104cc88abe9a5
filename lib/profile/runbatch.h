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

/* Takes a run and its nodes, the caller's side first.  Returns 0 or -ENOMEM. */
typedef int run_take(void *context, const struct run *run,
		     const uint32_t *nodes);

enum {
	BATCH_NODES = 256,
	BATCH_RUNS = 64,
};

struct runbatch {
	const struct graph_walk *walk;
	run_take *take;
	void *context;
	const char *near; /* see runbatch_bring_near() */
	size_t stride;
	const char *ends_near;
	size_t ends_stride;

	uint32_t node_count;
	uint32_t run_count;
	uint32_t nodes[BATCH_NODES];
	struct run runs[BATCH_RUNS];
};

/* Hands runs to take.  NULL: out of memory. */
struct runbatch *runbatch_new(const struct graph_walk *walk, run_take *take,
			      void *context, struct arena *arena);

/* What take will touch of each node, and at the end of a run: arrays by
 * node_id. */
void runbatch_bring_near(struct runbatch *b, const void *array, size_t stride);
void runbatch_bring_ends_near(struct runbatch *b, const void *array,
			      size_t stride);

/* Adds the run at a position.  Returns 0 or what take did. */
int runbatch_add(struct runbatch *b, uint32_t position, uint32_t mark,
		 struct weight sum);

/* Hands everything on.  Returns 0 or what take did. */
int runbatch_flush(struct runbatch *b);

#endif /* WICK_PROFILE_RUNBATCH_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_GRAFT_H
#define WICK_PROFILE_GRAFT_H

#include <stdint.h>

#include "profile/stack.h"

struct profile;

/* Frames to be put at one end of a stack: the caller's side first. */
struct graft_run {
	uint32_t first; /* in graft.frames */
	uint32_t count;
};

/*
 * What is put at the ends of stacks, by the labels of their samples.  Equal
 * runs should have one number, as what stacks share depends on it.
 */
struct graft {
	const frame_id *frames;
	uint32_t frame_count;
	const struct graft_run *roots;
	const struct graft_run *leaves;
	uint32_t root_count;
	uint32_t leaf_count;
	const uint32_t *root_of; /* by labels_id: which of the roots */
	const uint32_t *leaf_of;
};

/*
 * Gives the samples of a derived profile their longer stacks, in a table of
 * its own.  Returns 0 or -ENOMEM.
 */
int graft_stacks(struct profile *p, const struct graft *g);

#endif /* WICK_PROFILE_GRAFT_H */

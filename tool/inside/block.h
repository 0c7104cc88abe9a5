/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_BLOCK_H
#define WICK_INSIDE_BLOCK_H

#include <stdint.h>

struct error;
struct target;

/*
 * Memory for an envoy in another process: a page of code, then data.  A thread
 * is sent to map it, and later another to unmap it, wherever they are: only
 * system calls are made, and whoever made one goes on at once.  If we are
 * killed in the middle, the program has a few pages more, and that is all.
 */

/* Returns 0, or a negative errno with a sentence. */
int block_map(struct target *t, uint64_t *ret_block, struct error *err);

/* Nobody may be in it.  If it fails, the block stays. */
void block_unmap(struct target *t, uint64_t block);

#endif /* WICK_INSIDE_BLOCK_H */

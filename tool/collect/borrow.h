/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_BORROW_H
#define WICK_COLLECT_BORROW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/tracee.h"

struct error;
struct target;

/* A thread of a process that is borrowed, and memory that was mapped there. */
struct borrowed {
	pid_t tid;
	struct tracee_regs regs; /* with which it goes on */
	struct tracee_vectors vectors;
	uint64_t mask;
	uint64_t resume; /* its pc among regs */
	uint64_t block;	 /* ENVOY_SIZE bytes */
	bool is_over;	 /* it is known not to be in the block */
};

/*
 * Finds a thread at a safe moment, stops it and has it map a block.  Returns 0,
 * or a negative errno with a sentence, and then no thread is stopped.  All that
 * is stopped here and let go makes the system call again that it was in.
 */
int borrow(struct target *t, struct borrowed *b, struct error *err);

/* Gives it back without having used it. */
void borrow_return(struct target *t, struct borrowed *b);

/* Sends it to the code in the block, and lets it go. */
int borrow_send(struct target *t, struct borrowed *b);

/* Whether a thread that was sent is outside of the block again. */
bool borrow_is_over(struct target *t, struct borrowed *b);

/*
 * Takes a thread that was sent and got stuck out of the block, back to where it
 * was, and unmaps the block.  0, or a negative errno: it is not in the block.
 */
int borrow_undo(struct target *t, struct borrowed *b);

/* Unmaps the block by any thread of the process, once thread tid has ended. */
void borrow_unmap(struct target *t, const struct borrowed *b, pid_t tid);

#endif /* WICK_COLLECT_BORROW_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_BORROW_H
#define WICK_INSIDE_BORROW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "inside/tracee.h"

struct error;
struct target;

/*
 * A thread of a process, stopped, that is about to be sent elsewhere.  All that
 * is stopped here and let go makes the system call again that it was in.
 */
struct borrowed {
	pid_t tid;
	struct tracee_regs regs; /* with which it goes on */
	struct tracee_vectors vectors;
	uint64_t mask;
};

/*
 * Stops a thread: any one that can be woken unnoticed; or one at a moment when
 * it may call libc (moment.h).  Returns 0, or a negative errno with a sentence,
 * and then no thread is stopped.
 */
int borrow_any(struct target *t, struct borrowed *b, struct error *err);
int borrow_safely(struct target *t, struct borrowed *b, struct error *err);

/* Lets it go on where it was. */
void borrow_return(struct borrowed *b);

/* Lets it go with the registers that it has been given in b. */
int borrow_send(struct borrowed *b);

/* Memory that a thread is sent to. */
struct range {
	uint64_t lo;
	uint64_t len;
};

/* Whether a thread that has done what it was sent for has left the place. */
bool borrow_is_over(struct target *t, pid_t tid, struct range in);

/*
 * Takes a thread that was sent, and waits there for a lock, back to where it
 * was.  original is what it was borrowed with.  0, or a negative errno: it does
 * not, but is slow, and will come back by itself.
 */
int borrow_undo(struct target *t, const struct borrowed *original,
		struct range in);

/* Waits until a thread has ended; false: it takes too long. */
bool borrow_wait_end(const struct target *t, pid_t tid);

#endif /* WICK_INSIDE_BORROW_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_RING_H
#define WICK_AGENT_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What signal handlers leave for the agent's thread: records of any length, in
 * memory mapped beforehand.  Any number of threads write at once, each by
 * taking room (one atomic operation) and marking its record as done; one
 * thread reads.  A full ring refuses, it never waits.
 *
 * A record that was begun holds up the reader until it is done: handlers must
 * not be left in between, so they run with all signals blocked.
 */
struct ring {
	uint8_t *bytes;
	uint64_t size;	       /* a power of two */
	_Atomic uint64_t head; /* where the next record goes */
	_Atomic uint64_t tail; /* what was read so far */
};

/* In front of every record; lengths are multiples of 8, this included. */
struct ring_record {
	uint32_t len;
	_Atomic uint32_t kind; /* 0: not done */
};

/* Maps size bytes; 0 or -ENOMEM. */
int ring_map(struct ring *r, uint64_t size);

/*
 * Room for a record of len bytes, header included; NULL: there is none.
 * Async-signal-safe.
 */
struct ring_record *ring_reserve(struct ring *r, uint32_t len);

/* The record is complete; kind is not 0.  Async-signal-safe. */
void ring_commit(struct ring_record *record, uint32_t kind);

/*
 * The record at *at, which starts as ring_tail() and is moved on; NULL at the
 * end, or where one is not done yet.  The reader's thread.
 */
const struct ring_record *ring_next(const struct ring *r, uint64_t *at);

static inline uint64_t ring_tail(const struct ring *r)
{
	return atomic_load_explicit(&r->tail, memory_order_relaxed);
}

/* Gives the room of all records before at to the writers again. */
void ring_release(struct ring *r, uint64_t at);

/* How much is in use now. */
static inline uint64_t ring_used(const struct ring *r)
{
	return atomic_load_explicit(&r->head, memory_order_relaxed) -
	       atomic_load_explicit(&r->tail, memory_order_relaxed);
}

/* Gives memory back to the kernel while nothing is in the ring. */
void ring_rest(struct ring *r);

#endif /* WICK_AGENT_RING_H */

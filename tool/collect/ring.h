/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_RING_H
#define WICK_COLLECT_RING_H

#include <stddef.h>
#include <stdint.h>

struct error;

/*
 * The memory that the kernel writes one processor's records to.  Read by one
 * thread; zeroed means none.
 */
struct ring {
	void *base;  /* a page for both sides' positions, then the data */
	size_t size; /* of the data: a power of two */
};

/*
 * Maps the ring of an event, of size bytes or as much less as the kernel
 * allows.  Returns 0 or a negative errno with a sentence.
 */
int ring_map(struct ring *r, int event, size_t size, struct error *err);

void ring_unmap(struct ring *r);

/* Bytes that wait to be read. */
size_t ring_waiting(const struct ring *r);

/*
 * Moves whole records, as many as are there and fit into room bytes at to, with
 * at most stack bytes of each copy of a stack.  Returns how many bytes that
 * was.
 */
size_t ring_take(struct ring *r, uint8_t *to, size_t room, size_t stack);

#endif /* WICK_COLLECT_RING_H */

/* SPDX-License-Identifier: MIT */
/* See ring.h.  ring_reserve() and ring_commit() run in signal handlers. */
#include "agent/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "base/pages.h"

/* Fills the end of the ring where a record would not fit in one piece. */
enum { PAD = UINT32_MAX };

int ring_map(struct ring *r, uint64_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return -ENOMEM;
	/* A child must not find its parent's samples; it maps its own. */
	(void)madvise(p, size, MADV_WIPEONFORK);
	*r = (struct ring){ .bytes = p, .size = size };
	return 0;
}

static struct ring_record *record_at(const struct ring *r, uint64_t at)
{
	return (struct ring_record *)(r->bytes + (at & (r->size - 1)));
}

struct ring_record *ring_reserve(struct ring *r, uint32_t len)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	struct ring_record *record;
	uint64_t pad;

	ASSERT(len % 8 == 0);
	do {
		/* Pairs with ring_release(): what is free is also zero. */
		uint64_t tail = atomic_load_explicit(&r->tail,
						     memory_order_acquire);
		uint64_t left = r->size - (head & (r->size - 1));

		pad = left < len ? left : 0;
		if (head + pad + len - tail > r->size)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(
		&r->head, &head, head + pad + len, memory_order_acq_rel,
		memory_order_relaxed));

	if (pad) {
		record = record_at(r, head);
		record->len = (uint32_t)pad;
		ring_commit(record, PAD);
	}
	record = record_at(r, head + pad);
	record->len = len;
	return record;
}

void ring_commit(struct ring_record *record, uint32_t kind)
{
	/* Pairs with ring_next(). */
	atomic_store_explicit(&record->kind, kind, memory_order_release);
}

const struct ring_record *ring_next(const struct ring *r, uint64_t *at)
{
	/* Pairs with the exchange in ring_reserve(). */
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);

	while (*at != head) {
		struct ring_record *record = record_at(r, *at);
		uint32_t kind = atomic_load_explicit(&record->kind,
						     memory_order_acquire);

		if (!kind)
			return NULL;
		*at += record->len;
		if (kind != PAD)
			return record;
	}
	return NULL;
}

/* Zeroed room is how the reader tells a record that is not done. */
void ring_release(struct ring *r, uint64_t at)
{
	uint64_t tail = ring_tail(r);
	uint64_t first = tail & (r->size - 1);
	uint64_t len = at - tail;
	uint64_t whole = len < r->size - first ? len : r->size - first;

	memset(r->bytes + first, 0, whole);
	memset(r->bytes, 0, len - whole);
	atomic_store_explicit(&r->tail, at, memory_order_release);
}

void ring_rest(struct ring *r)
{
	if (!ring_used(r))
		pages_drop(span_of(r->bytes, r->size));
}

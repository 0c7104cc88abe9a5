/* SPDX-License-Identifier: MIT */
/* See ring.h; the protocol is perf_event_open(2)'s. */
#include "collect/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/record.h"

enum { SMALLEST = 128 * 1024 };

static struct perf_event_mmap_page *control(const struct ring *r)
{
	return r->base;
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int ring_map(struct ring *r, int event, size_t size, struct error *err)
{
	for (; size >= SMALLEST; size /= 2) {
		void *base = mmap(NULL, page_size() + size,
				  PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);

		if (base != MAP_FAILED) {
			*r = (struct ring){ .base = base, .size = size };
			return 0;
		}
		/* More than perf_event_mlock_kb, or than there is. */
		if (errno != EPERM && errno != ENOMEM)
			break;
	}
	return error_set_errno(
		err, -errno,
		"cannot map a perf ring; see kernel.perf_event_mlock_kb");
}

void ring_unmap(struct ring *r)
{
	if (r->base)
		munmap(r->base, page_size() + r->size);
	*r = (struct ring){ 0 };
}

/* Pairs with the kernel's release of data_head: records before it are whole. */
static uint64_t load_head(const struct ring *r)
{
	return atomic_load_explicit((_Atomic __u64 *)&control(r)->data_head,
				    memory_order_acquire);
}

size_t ring_waiting(const struct ring *r)
{
	return (size_t)(load_head(r) - control(r)->data_tail);
}

static void copy_out(const struct ring *r, uint64_t from, uint8_t *to,
		     size_t len)
{
	const uint8_t *data = (const uint8_t *)r->base + page_size();
	size_t at = from & (r->size - 1);
	size_t first = len < r->size - at ? len : r->size - at;

	memcpy(to, data + at, first);
	memcpy(to + first, data, len - first);
}

size_t ring_take(struct ring *r, uint8_t *to, size_t room, size_t stack)
{
	uint64_t head = load_head(r);
	uint64_t tail = control(r)->data_tail;
	size_t taken = 0;

	while (head - tail >= RECORD_HEAD) {
		struct perf_event_header h;

		copy_out(r, tail, (uint8_t *)&h, sizeof(h));
		if (h.size < RECORD_HEAD || h.size > head - tail) {
			/* Nothing here makes sense; start anew behind it. */
			tail = head;
			break;
		}
		if (h.size > room - taken)
			break;
		copy_out(r, tail, to + taken, h.size);
		taken += record_shrink(to + taken, h.size, stack);
		tail += h.size;
	}
	/* Pairs with the kernel's load: it may overwrite what we have read. */
	atomic_store_explicit((_Atomic __u64 *)&control(r)->data_tail, tail,
			      memory_order_release);
	return taken;
}

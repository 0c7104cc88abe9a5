/* SPDX-License-Identifier: MIT */
/* See live.h. */
#include "collect/live.h"

#include <string.h>
#include <sys/uio.h>

#include "collect/space.h"

void live_begin(struct live *l, pid_t pid, const struct space *space,
		uint64_t sp)
{
	l->pid = pid;
	l->space = space;
	l->sp = sp;
	l->reads = 0;
	l->data_reads = 0;
	l->first_data = 0;
	l->beyond = false;
	l->rest = (struct span){ 0 };
	l->used = 0;
}

static const struct live_page *get_page(struct live *l, uint64_t at)
{
	struct live_page *p;
	struct iovec here, there;

	for (unsigned i = 0; i < l->used && i < LIVE_SLOTS; i++)
		if (l->page[i].at == at)
			return &l->page[i];
	/* A stack that leads all over memory is not a stack. */
	if (l->reads == LIVE_READS)
		return NULL;
	l->reads++;
	p = &l->page[l->used++ % LIVE_SLOTS];
	here = (struct iovec){ p->bytes, LIVE_PAGE };
	there = (struct iovec){ (void *)(uintptr_t)at, LIVE_PAGE };
	p->at = at;
	p->good = process_vm_readv(l->pid, &here, 1, &there, 1, 0) == LIVE_PAGE;
	return p;
}

static bool read_bytes(struct live *l, uint64_t addr, void *to, size_t len)
{
	uint64_t offset = addr % LIVE_PAGE;
	size_t first = len < LIVE_PAGE - offset ? len : LIVE_PAGE - offset;
	const struct live_page *p = get_page(l, addr - offset);

	if (!p || !p->good)
		return false;
	memcpy(to, p->bytes + offset, first);
	if (first == len)
		return true;
	return read_bytes(l, addr + first, (char *)to + first, len - first);
}

/* A word of the part of the copy that a small one would not have. */
static bool read_rest(struct live *l, uint64_t addr, uint64_t *value)
{
	uint64_t offset = addr - l->rest_at;
	struct span word = span_part(l->rest, offset, sizeof(*value));

	if (!word.len)
		return false;
	l->beyond = true;
	memcpy(value, word.at, sizeof(*value));
	return true;
}

bool live_read(void *context, uint64_t addr, uint64_t *value)
{
	struct live *l = context;

	if (addr > UINT64_MAX - 2 * LIVE_PAGE || l->sp - addr <= LIVE_BELOW)
		return false;
	if (read_rest(l, addr, value))
		return true;
	if (space_find(l->space, addr))
		return read_bytes(l, addr, value, sizeof(*value));
	/* Stacks are words; the rest is a guess at what may be one. */
	if (addr % sizeof(*value))
		return false;
	if (!l->first_data)
		l->first_data = addr;
	if (!read_bytes(l, addr, value, sizeof(*value)))
		return false;
	l->data_reads++;
	return true;
}

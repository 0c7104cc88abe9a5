/* SPDX-License-Identifier: MIT */
/* See live.h. */
#include "collect/live.h"

#include <string.h>
#include <sys/uio.h>

#include "collect/space.h"

void live_begin(struct live *l, pid_t pid, const struct space *space)
{
	l->pid = pid;
	l->space = space;
	l->reads = 0;
	l->data_reads = 0;
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

bool live_read(void *context, uint64_t addr, uint64_t *value)
{
	struct live *l = context;

	if (addr > UINT64_MAX - 2 * LIVE_PAGE)
		return false;
	if (!space_find(l->space, addr) && !l->data_reads++)
		l->first_data = addr;
	return read_bytes(l, addr, value, sizeof(*value));
}

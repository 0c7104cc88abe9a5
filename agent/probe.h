/* SPDX-License-Identifier: MIT */
/*
 * Reading memory that may not be there, without a fault: the kernel is asked
 * to read it first, by a call that is allowed everywhere and does nothing
 * (rt_sigprocmask() with an unknown operation reads its argument and refuses).
 * process_vm_readv() would do it in one step, but sandboxes kill whoever calls
 * it, and pages do not vanish from under a thread that is stopped in them.
 */
#ifndef WICK_AGENT_PROBE_H
#define WICK_AGENT_PROBE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROBE_PAGE = 4096 };

/* The page that was readable last; zeroed: none. */
struct probe {
	uint64_t good; /* its number */
};

/* Whether the page of an address can be read.  Changes errno. */
static inline bool probe_page(struct probe *p, uint64_t addr)
{
	const int no_operation = -1;
	uint64_t page = addr / PROBE_PAGE;

	/* User addresses are below; those above 56 bits carry tags. */
	if (!page || addr >> 56)
		return false;
	if (page == p->good)
		return true;
	if (syscall(SYS_rt_sigprocmask, no_operation, page * PROBE_PAGE, NULL,
		    sizeof(uint64_t)) == 0 ||
	    errno != EINVAL)
		return false;
	p->good = page;
	return true;
}

/* For struct unwind_memory; context is a struct probe.  Changes errno. */
static inline bool probe_read(void *context, uint64_t addr, uint64_t *value)
{
	const uint64_t last = addr + sizeof(*value) - 1;

	if (last < addr || !probe_page(context, addr) ||
	    !probe_page(context, last))
		return false;
	memcpy(value, (const void *)addr, sizeof(*value));
	return true;
}

#endif /* WICK_AGENT_PROBE_H */

/* SPDX-License-Identifier: MIT */
/* See pages.h. */
#include "base/pages.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

/* Of all whole pages within s; none that fails matters. */
static void advise(struct span s, int advice)
{
	size_t skip = -(uintptr_t)s.at % PAGE;

	if (s.len >= skip + PAGE)
		(void)madvise((void *)(s.at + skip),
			      (s.len - skip) / PAGE * PAGE, advice);
}

void pages_drop(struct span s)
{
	advise(s, MADV_DONTNEED);
}

void pages_get(struct span s)
{
	advise(s, MADV_POPULATE_WRITE);
}

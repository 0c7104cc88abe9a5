/* SPDX-License-Identifier: MIT */
/* See pages.h. */
#include "base/pages.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

void pages_drop(struct span s)
{
	size_t skip = -(uintptr_t)s.at % PAGE;

	if (s.len < skip + PAGE)
		return;
	/* It only saves memory, so a failure does not matter. */
	(void)madvise((void *)(s.at + skip), (s.len - skip) / PAGE * PAGE,
		      MADV_DONTNEED);
}

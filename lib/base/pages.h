/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_PAGES_H
#define WICK_BASE_PAGES_H

#include "base/span.h"

/*
 * Gives the memory of the whole pages within s, which must come from mmap(2),
 * back to the kernel, while the addresses stay valid: what was in an anonymous
 * page is lost, what was mapped from a file is there again when it is read.
 */
void pages_drop(struct span s);

/*
 * Gets memory for the whole pages within s, which will be written: all at once
 * costs half of what it does one by one.  From Linux 5.14 on; else nothing
 * happens.
 */
void pages_get(struct span s);

#endif /* WICK_BASE_PAGES_H */

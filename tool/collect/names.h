/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_NAMES_H
#define WICK_COLLECT_NAMES_H

struct kernel_names;
struct recorder;

/*
 * Names for all that was recorded: from the files, the kernel's own list and
 * what just-in-time compilers left.  Returns 0 or -ENOMEM; what has no name
 * stays without.
 */
int names_find(struct recorder *r, struct kernel_names *kernel);

#endif /* WICK_COLLECT_NAMES_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_BINARY_OPEN_H
#define WICK_COLLECT_BINARY_OPEN_H

struct binary_place;

/*
 * Opens the file that a process has mapped: as it is mapped, if the kernel
 * lets us; else by its name in the process's own root; else by its name here.
 * Another file that has taken its place is not opened.  Returns a descriptor
 * or -1.
 */
int binary_open(const struct binary_place *place);

#endif /* WICK_COLLECT_BINARY_OPEN_H */

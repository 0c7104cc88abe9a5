/* SPDX-License-Identifier: MIT */
/*
 * What /proc says about a process.  The process may end at any moment: each
 * function then fails as if it had never been there.
 */
#ifndef WICK_SYMBOLIZE_PROCFS_H
#define WICK_SYMBOLIZE_PROCFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"

struct arena;

/*
 * Reads all of a file whose size is not known beforehand into the arena, up to
 * a gigabyte; 0 or a negative errno.
 */
int procfs_read(const char *path, struct arena *arena, struct span *ret);

/* The same of an open file. */
int procfs_read_fd(int fd, struct arena *arena, struct span *ret);

/* Copies memory of a process; how many bytes could be read. */
size_t procfs_memory(pid_t pid, uint64_t address, void *to, size_t len);

/* The process's number as it knows itself, in its container; 0: unknown. */
pid_t procfs_inner_pid(pid_t pid);

#endif /* WICK_SYMBOLIZE_PROCFS_H */

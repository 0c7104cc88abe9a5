/* SPDX-License-Identifier: MIT */
/* Small files of the kernel's, under /proc and /sys. */
#ifndef WICK_COLLECT_PROCFILE_H
#define WICK_COLLECT_PROCFILE_H

#include <stddef.h>

/* The number in a file; otherwise if there is none. */
long proc_number(const char *path, long otherwise);

/*
 * The file's first line, cut to size, without its newline; "" if it cannot be
 * read.  Returns buf.
 */
char *proc_line(const char *path, char *buf, size_t size);

#endif /* WICK_COLLECT_PROCFILE_H */

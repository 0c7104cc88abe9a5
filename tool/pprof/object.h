/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_OBJECT_H
#define WICK_PPROF_OBJECT_H

#include <stdbool.h>

/*
 * Whether the file at path is a program or library (ELF, Mach-O or PE), judged
 * by its first bytes.  What is no regular file is none, and is not opened: a
 * pipe would lose what it holds.
 */
bool object_is_one(const char *path);

#endif /* WICK_PPROF_OBJECT_H */

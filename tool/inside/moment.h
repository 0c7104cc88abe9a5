/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_MOMENT_H
#define WICK_INSIDE_MOMENT_H

#include <stdbool.h>

struct target;
struct tracee_regs;

/*
 * Whether a thread that is stopped may be made to call pthread_create(): it
 * holds no lock of libc's, the loader's or an allocator's, and is not in the
 * middle of what these do without locks.  That is so in the program's own code,
 * and in functions of libc's that wait; its callers are looked at as well, up
 * to the thread's start.  In doubt it is not.
 */
bool moment_is_safe(struct target *t, const struct tracee_regs *regs);

#endif /* WICK_INSIDE_MOMENT_H */

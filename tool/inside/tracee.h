/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_TRACEE_H
#define WICK_INSIDE_TRACEE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * One thread of somebody else's, held still by ptrace(2).  If we are killed
 * meanwhile, the kernel lets it go with the registers that it has then.
 */

/* General registers, in the kernel's layout for the machine. */
struct tracee_regs {
	uint64_t word[40];
	size_t size; /* bytes */
};

/* Vector registers and all else that XSAVE or its like keeps. */
struct tracee_vectors {
	uint8_t bytes[16384];
	size_t size;
};

/*
 * Stops a thread; its system call, if it is in one, is broken off.  Returns 0,
 * -EPERM, -ESRCH, -EBUSY if the whole process is stopped by a signal, or
 * -ETIMEDOUT: then the thread is held as soon as it stops, and let go when we
 * end.
 */
int tracee_stop(pid_t tid);

/* Lets it go. */
void tracee_leave(pid_t tid);

/* These return 0 or a negative errno; the thread must be stopped. */
int tracee_get(pid_t tid, struct tracee_regs *ret);
int tracee_set(pid_t tid, const struct tracee_regs *r);
int tracee_get_vectors(pid_t tid, struct tracee_vectors *ret);
int tracee_set_vectors(pid_t tid, const struct tracee_vectors *v);
int tracee_get_mask(pid_t tid, uint64_t *ret);
int tracee_set_mask(pid_t tid, uint64_t mask);

#endif /* WICK_INSIDE_TRACEE_H */

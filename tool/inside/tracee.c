/* SPDX-License-Identifier: MIT */
/*
 * See tracee.h.  PTRACE_SEIZE, not PTRACE_ATTACH: no signal is sent, so the
 * program and its parent see nothing of it.
 */
#include "inside/tracee.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

enum { WAIT_MICROS = 100, WAITS = 20000 };

/* Waits for the thread to stop; *ret_status is as wait(2) says. */
static int wait_stop(pid_t tid, int *ret_status)
{
	const struct timespec pause = { .tv_nsec = WAIT_MICROS * 1000 };

	for (unsigned i = 0; i < WAITS; i++) {
		pid_t r = waitpid(tid, ret_status, __WALL | WNOHANG);

		if (r < 0 && errno != EINTR)
			return -errno;
		if (r == tid)
			return WIFSTOPPED(*ret_status) ? 0 : -ESRCH;
		nanosleep(&pause, NULL);
	}
	return -ETIMEDOUT;
}

static bool is_event(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP;
}

/* A signal that comes first is the program's, and is delivered. */
static int wait_interrupt(pid_t tid)
{
	for (;;) {
		int status;
		int r = wait_stop(tid, &status);

		if (r < 0)
			return r;
		if (is_event(status))
			return WSTOPSIG(status) == SIGTRAP ? 0 : -EBUSY;
		if (ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(status)) < 0)
			return -errno;
	}
}

int tracee_stop(pid_t tid)
{
	int r;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) < 0)
		return -errno;
	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) < 0)
		return -errno;
	r = wait_interrupt(tid);
	if (r == -EBUSY)
		tracee_leave(tid);
	return r;
}

void tracee_leave(pid_t tid)
{
	(void)ptrace(PTRACE_DETACH, tid, 0, 0); /* it may have been killed */
}

static int get_set(int request, pid_t tid, int kind, struct iovec *bytes)
{
	return ptrace(request, tid, kind, bytes) < 0 ? -errno : 0;
}

int tracee_get(pid_t tid, struct tracee_regs *ret)
{
	struct iovec v = { ret->word, sizeof(ret->word) };
	int r = get_set(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v);

	ret->size = v.iov_len;
	return r;
}

int tracee_set(pid_t tid, const struct tracee_regs *r)
{
	struct iovec v = { (void *)r->word, r->size };

	return get_set(PTRACE_SETREGSET, tid, NT_PRSTATUS, &v);
}

int tracee_get_vectors(pid_t tid, struct tracee_vectors *ret)
{
	struct iovec v = { ret->bytes, sizeof(ret->bytes) };
	int r = get_set(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &v);

	ret->size = v.iov_len;
	return r;
}

int tracee_set_vectors(pid_t tid, const struct tracee_vectors *s)
{
	struct iovec v = { (void *)s->bytes, s->size };

	return get_set(PTRACE_SETREGSET, tid, NT_X86_XSTATE, &v);
}

int tracee_get_mask(pid_t tid, uint64_t *ret)
{
	return ptrace(PTRACE_GETSIGMASK, tid, sizeof(*ret), ret) < 0 ? -errno
								     : 0;
}

int tracee_set_mask(pid_t tid, uint64_t mask)
{
	return ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask) < 0 ? -errno
								       : 0;
}

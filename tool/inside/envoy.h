/* SPDX-License-Identifier: MIT */
/*
 * Code that runs in another process, in memory that was mapped there for it,
 * and what the machine's registers mean to whoever sends it.  One file for each
 * machine; where there is none yet, envoy_cannot() says so.
 */
#ifndef WICK_INSIDE_ENVOY_H
#define WICK_INSIDE_ENVOY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/visit.h"

struct tracee_regs;
struct unwind_regs;

enum {
	ENVOY_PAGE = 4096,
	ENVOY_DATA = ENVOY_PAGE, /* where things are in the block */
	ENVOY_VECTORS = 2 * ENVOY_PAGE,
	ENVOY_VECTORS_SIZE = 4 * ENVOY_PAGE,
	ENVOY_STACK = ENVOY_VECTORS + ENVOY_VECTORS_SIZE,
	ENVOY_STACK_SIZE = 16 * ENVOY_PAGE,
	ENVOY_SIZE = ENVOY_STACK + ENVOY_STACK_SIZE,
};

/* Functions of the process's libc, by their addresses there. */
struct envoy_calls {
	uint64_t pthread_create;
	uint64_t pthread_detach;
	uint64_t errno_location;
	uint64_t prctl;
	uint64_t dlopen;
	uint64_t dlsym;
	uint64_t dlerror;
};

/*
 * What the code finds at ENVOY_DATA.  The first two fields are the machine
 * code's own: the thread's stack, and where it goes on.
 */
struct envoy {
	uint64_t saved_sp;
	uint64_t resume;
	struct visit visit;
	uint64_t thread; /* where the new thread begins */
	struct envoy_calls call;
	int32_t dlopen_mode;
	_Atomic uint32_t left; /* the borrowed thread is on its way back */
	char thread_name[16];
	char soname[16];
	char function[16];
	char library[256];
};

_Static_assert(sizeof(struct envoy) <= ENVOY_PAGE, "it has one page");

/* Why nobody can be sent on this machine; NULL: one can. */
const char *envoy_cannot(void);

/* The code, at most ENVOY_PAGE bytes. */
const void *envoy_code(size_t *ret_size);

/*
 * Where in it the borrowed thread enters: on a stack in the block it starts a
 * thread, and goes on as if nothing had happened, all registers, its signal
 * mask and errno as before.  And where the new thread enters.
 */
size_t envoy_entry_offset(void);
size_t envoy_thread_offset(void);

/* What a thread that is in a system call does there. */
enum envoy_wait {
	ENVOY_BUSY,	  /* something that is not to be broken off */
	ENVOY_WAITS,	  /* it waits, and can be woken unnoticed */
	ENVOY_WAITS_ANEW, /* the same, but a timeout then begins anew */
};

enum envoy_wait envoy_wait_of(long number);

/*
 * The rest is about the registers of a thread that ptrace(2) has stopped.
 *
 * One that waits in a call that the kernel never makes again by itself, and
 * was woken by the stop, will make it again.  False: it was not.
 */
bool envoy_repeat(struct tracee_regs *r);

/*
 * The same of one that the kernel would make again when the thread goes on, for
 * threads that go elsewhere first.
 */
void envoy_restart(struct tracee_regs *r);

/* A system call that a thread is sent to make. */
struct envoy_call {
	long number;
	uint64_t argument[6];
};

/* What goes below the stack of a thread for it, and where. */
struct envoy_errand {
	uint64_t word[64];
	size_t size; /* bytes */
	uint64_t at;
};

/* Code that makes such calls, from what is on the stack; some 20 bytes. */
const void *envoy_errand_code(size_t *ret_size);

/*
 * Sends a thread on an errand: once the words and the code, at address code,
 * are there and the thread has these registers, it makes one or two calls and
 * goes on as if it had not.  Nobody needs to be there to bring it back.
 */
void envoy_errand(struct tracee_regs *r, uint64_t code,
		  const struct envoy_call *calls, unsigned count,
		  struct envoy_errand *ret);

/* Where it goes on; and with it, a thread that is in no system call. */
uint64_t envoy_pc(const struct tracee_regs *r);
uint64_t envoy_sp(const struct tracee_regs *r);
void envoy_set_pc(struct tracee_regs *r, uint64_t pc);

/* For the unwinder; all is memory for them. */
void envoy_unwind_regs(const struct tracee_regs *r, uint64_t all[34],
		       struct unwind_regs *ret);

/*
 * The function that the call before an address leads to, also through a table
 * of linkage, as far as can be seen; 0: it cannot.
 */
typedef bool envoy_reader(void *context, uint64_t at, void *to, size_t len);
uint64_t envoy_callee(uint64_t address, envoy_reader *read, void *context);

#endif /* WICK_INSIDE_ENVOY_H */

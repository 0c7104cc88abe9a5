/* SPDX-License-Identifier: MIT */
/*
 * The registers of interrupted code, as the kernel gives them to a signal
 * handler.  What differs is in one file for each machine.
 */
#ifndef WICK_AGENT_REGS_H
#define WICK_AGENT_REGS_H

#include <stdint.h>

struct unwind_regs;

enum { REGS_MAX = 32 };

extern const uint16_t regs_machine;   /* EM_... */
extern const uint64_t regs_code_mask; /* of code addresses */

/* By DWARF's numbers, which of them are what struct unwind_regs names. */
struct regs_layout {
	uint8_t sp;
	uint8_t fp;
	uint8_t extra;
	uint8_t count;
};

extern const struct regs_layout regs_layout;

/*
 * Reads a ucontext_t; all is memory that must live as long as ret is used.
 * Async-signal-safe.
 */
void regs_of(const void *ucontext, uint64_t all[REGS_MAX],
	     struct unwind_regs *ret);

/* The same of registers that regs_of() stored before, and the pc. */
void regs_again(const uint64_t all[REGS_MAX], uint64_t pc,
		struct unwind_regs *ret);

#endif /* WICK_AGENT_REGS_H */

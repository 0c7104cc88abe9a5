/* SPDX-License-Identifier: MIT */
/*
 * The registers of the machine: which ones the kernel is asked for, and what
 * the unwinder calls them.  One file for each machine.
 */
#ifndef WICK_COLLECT_REGS_H
#define WICK_COLLECT_REGS_H

#include <stdint.h>

#include "base/span.h"

struct unwind_regs;

enum { REGS_MAX = 34 };

extern const uint64_t regs_mask;      /* for perf_event_attr */
extern const unsigned regs_count;     /* bits in it */
extern const uint16_t regs_machine;   /* EM_... */
extern const uint64_t regs_code_mask; /* of code addresses */

/*
 * Turns the kernel's words into the registers of interrupted code; all is
 * memory for them that must live as long as ret is used.
 */
void regs_read(struct span words, uint64_t all[REGS_MAX],
	       struct unwind_regs *ret);

#endif /* WICK_COLLECT_REGS_H */

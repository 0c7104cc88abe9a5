/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_EXPRESSION_H
#define WICK_UNWIND_EXPRESSION_H

#include "unwind/step.h"

/*
 * Evaluates a DWARF expression over the registers of a frame: the few routines
 * of assembly whose frames have no simpler description.  code is what a table
 * stores at the offset in a rule.  Registers beyond pc, sp, fp and extra are
 * known in interrupted code only.  Safe anywhere.
 */
enum unwind_reason unwind_evaluate(struct span code,
				   const struct unwind_regs *regs,
				   const struct unwind_memory *m,
				   uint64_t *value);

#endif /* WICK_UNWIND_EXPRESSION_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_PROGRAM_H
#define WICK_UNWIND_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "unwind/cfi.h"

/* Where the program says a register of the caller is. */
enum cfa_how {
	CFA_UNSPECIFIED,
	CFA_UNDEFINED,
	CFA_SAME,
	CFA_OFFSET,	    /* in memory at CFA + value */
	CFA_VAL_OFFSET,	    /* it is CFA + value */
	CFA_REGISTER,	    /* in register number value */
	CFA_EXPRESSION,	    /* in memory where the expression says */
	CFA_VAL_EXPRESSION, /* it is what the expression says */
};

struct cfa_place {
	uint8_t how; /* enum cfa_how */
	int64_t value;
	struct span expression;
};

/* The registers whose fate is followed; all others are ignored. */
enum cfa_register { CFA_RA, CFA_FP, CFA_EXTRA, CFA_SP, CFA_REGISTERS };

/* One row of the table that the program describes. */
struct cfa_state {
	struct cfa_place reg[CFA_REGISTERS];
	uint64_t base;	/* CFA = register base + offset, */
	int64_t offset; /* unless the expression is not empty */
	struct span expression;
};

/*
 * A program being run.  budget counts instructions down over many programs, so
 * that files made to cost much time do not; what is not reached has no rows.
 */
struct cfa_run {
	const struct cfi_cie *cie;
	const struct cfa_state *initial; /* what restore means; NULL: none */
	const struct cfi_section *section;
	uint64_t *budget;
	uint16_t machine;
	uint64_t pc; /* where the current state begins to hold */
	struct cfa_state state;
	/* Called with the state that holds from pc on, when that ends. */
	void (*row)(void *to, const struct cfa_run *run);
	void *to;
};

/*
 * Runs a program from run->state on; at its end run->state is the last state,
 * not yet handed to row.  Returns 0, -EBADMSG at an instruction that makes no
 * sense (rows so far stand), or -E2BIG when the budget is spent.
 */
int cfa_run(struct cfa_run *run, struct span program);

#endif /* WICK_UNWIND_PROGRAM_H */

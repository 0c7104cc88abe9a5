/* SPDX-License-Identifier: MIT */
/*
 * How to get from a function to its caller: the one thing that every source of
 * unwinding knowledge (.eh_frame, .debug_frame, Go's tables, names) is brought
 * to, and the only thing that stepping looks at.
 *
 * The frame of a call has a canonical address (CFA): the value the stack
 * pointer has back in the caller.  A rule says how to find it and where the
 * return address and two registers of the caller were saved.  Those two are
 * the frame pointer and one "extra" register: on aarch64 the link register
 * (leaf functions keep their return address there), on x86-64 rbx (the dynamic
 * loader's lazy binding hangs its frame on it).
 */
#ifndef WICK_UNWIND_RULE_H
#define WICK_UNWIND_RULE_H

#include <stdint.h>

enum unwind_kind {
	UNWIND_NONE,	 /* no source covers the address */
	UNWIND_END,	 /* the thread's first frame: it has no caller */
	UNWIND_SP,	 /* CFA = stack pointer + cfa */
	UNWIND_FP,	 /* CFA = frame pointer + cfa */
	UNWIND_EXTRA,	 /* CFA = extra register + cfa */
	UNWIND_REG,	 /* CFA = register arg + cfa: interrupted frame only */
	UNWIND_CONTEXT,	 /* as UNWIND_REG, but the caller's stack pointer is
			    not the CFA: it is where extra would be */
	UNWIND_SP_DEREF, /* CFA = word at (stack pointer + cfa) + arg */
	UNWIND_FP_DEREF, /* CFA = word at (frame pointer + cfa) + arg */
	UNWIND_PLT,	 /* CFA = SP + cfa, 8 more if (pc & 15) >= arg */
	UNWIND_SWITCH,	 /* Go changed stacks here: search below FP */
	UNWIND_EXPR,	 /* CFA = the table's expression at offset cfa */
	UNWIND_KINDS,
};

enum unwind_where {
	UNWIND_SAME,   /* still in its register */
	UNWIND_AT_CFA, /* in memory, at CFA + offset */
	UNWIND_AT_SP,  /* at the callee's stack pointer + offset */
	UNWIND_AT_FP,  /* at the callee's frame pointer + offset */
	UNWIND_IN_REG, /* in register number offset: interrupted frame only */
	UNWIND_LOST,   /* nobody knows */
	UNWIND_WHERES,
};

/*
 * The interrupted code's pc follows, not a return address: the frame below is
 * a signal handler.
 */
#define UNWIND_SIGNAL 1

/* The caller's frame may be on another stack, so anywhere. */
#define UNWIND_ANYWHERE 4

/* Set in caches only: the rule is of the common kind that is applied inline. */
#define UNWIND_PLAIN 2

/* Stored in tables as it is: 20 bytes, no padding. */
struct unwind_rule {
	uint8_t kind;	  /* enum unwind_kind */
	int8_t arg;	  /* what the kind says */
	uint8_t ra_where; /* enum unwind_where << 4, and flags */
	uint8_t where;	  /* of fp in the low, of extra in the high 4 bits */
	int32_t cfa;
	int32_t ra; /* offsets of what was saved, or register numbers */
	int32_t fp;
	int32_t extra;
};

_Static_assert(sizeof(struct unwind_rule) == 20, "stored layout");

static inline unsigned rule_ra_where(const struct unwind_rule *r)
{
	return r->ra_where >> 4;
}

static inline unsigned rule_fp_where(const struct unwind_rule *r)
{
	return r->where & 15;
}

static inline unsigned rule_extra_where(const struct unwind_rule *r)
{
	return r->where >> 4;
}

#endif /* WICK_UNWIND_RULE_H */

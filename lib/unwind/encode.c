/* SPDX-License-Identifier: MIT */
/*
 * Turns a row of call frame information into a rule.  The few expressions that
 * compilers, linkers and libc really write are recognised by shape; the rest
 * is stored and evaluated when a step meets it.
 */
#include "unwind/encode.h"

#include <elf.h>

#include "unwind/opcodes.h"

/* Longer ones are nobody's honest work. */
enum { LONGEST_EXPRESSION = 64 };

struct registers {
	uint64_t sp;
	uint64_t fp;
	uint64_t extra;
};

static struct registers registers_of(uint16_t machine)
{
	if (machine == EM_X86_64)
		return (struct registers){ X86_RSP, X86_RBP, X86_RBX };
	return (struct registers){ ARM_SP, ARM_X29, UINT64_MAX };
}

static bool fits(int64_t value)
{
	return value == (int32_t)value;
}

/* A register plus an offset, then what is done with the sum. */
struct shape {
	uint64_t base;
	int64_t offset;
	bool deref;
	int64_t add; /* after deref */
};

static bool read_shape(struct span bytes, struct shape *shape)
{
	struct reader r = reader_of(bytes);
	unsigned op = reader_u8(&r);

	if (op < DW_OP_breg0 || op > DW_OP_breg31)
		return false;
	*shape = (struct shape){ .base = op - DW_OP_breg0,
				 .offset = reader_sleb(&r) };
	if (reader_left(&r) && *r.at == DW_OP_deref) {
		(void)reader_u8(&r);
		shape->deref = true;
	}
	if (reader_left(&r) && *r.at == DW_OP_plus_uconst) {
		(void)reader_u8(&r);
		shape->add = (int64_t)reader_uleb(&r);
	}
	return !r.failed && !reader_left(&r);
}

/*
 * What linkers write for lazy binding stubs of x86-64: the second push of a
 * stub ends at byte N of its 16, which is 11, or 9 with -z ibtplt.
 */
static bool read_plt(struct span bytes, struct unwind_rule *rule)
{
	static const uint8_t before[] = { DW_OP_breg0 + X86_RSP, 8,
					  DW_OP_breg0 + X86_RIP, 0,
					  DW_OP_lit0 + 15,	 DW_OP_and };
	static const uint8_t after[] = { DW_OP_ge, DW_OP_lit0 + 3, DW_OP_shl,
					 DW_OP_plus };
	const size_t at = sizeof(before);

	if (bytes.len != at + 1 + sizeof(after) ||
	    memcmp(bytes.at, before, at) != 0 ||
	    memcmp(bytes.at + at + 1, after, sizeof(after)) != 0 ||
	    bytes.at[at] < DW_OP_lit0 || bytes.at[at] > DW_OP_lit0 + 15)
		return false;
	*rule = (struct unwind_rule){
		.kind = UNWIND_PLT,
		.arg = (int8_t)(bytes.at[at] - DW_OP_lit0),
		.cfa = 8,
	};
	return true;
}

static struct unwind_rule from_register(uint16_t machine, uint64_t reg,
					int64_t offset)
{
	struct registers known = registers_of(machine);
	struct unwind_rule rule = { .kind = UNWIND_NONE };

	if (!fits(offset))
		return rule;
	rule.cfa = (int32_t)offset;
	if (reg == known.sp) {
		rule.kind = UNWIND_SP;
	} else if (reg == known.fp) {
		rule.kind = UNWIND_FP;
	} else if (reg == known.extra) {
		rule.kind = UNWIND_EXTRA;
	} else if (reg < 32) {
		rule.kind = UNWIND_REG;
		rule.arg = (int8_t)reg;
	} else {
		rule.cfa = 0;
	}
	return rule;
}

static struct unwind_rule from_expression(uint16_t machine, struct span bytes)
{
	struct registers known = registers_of(machine);
	struct unwind_rule rule = { .kind = UNWIND_NONE };
	struct shape s;

	if (machine == EM_X86_64 && read_plt(bytes, &rule))
		return rule;
	if (read_shape(bytes, &s)) {
		if (!s.deref && fits(s.offset) && fits(s.add))
			return from_register(machine, s.base, s.offset + s.add);
		if (s.deref && (s.base == known.sp || s.base == known.fp) &&
		    fits(s.offset) && s.add == (int8_t)s.add) {
			rule.kind = s.base == known.sp ? UNWIND_SP_DEREF
						       : UNWIND_FP_DEREF;
			rule.cfa = (int32_t)s.offset;
			rule.arg = (int8_t)s.add;
			return rule;
		}
	}
	if (bytes.len <= LONGEST_EXPRESSION)
		rule.kind = UNWIND_EXPR;
	return rule;
}

struct placed {
	enum unwind_where where;
	int32_t offset;
};

static struct placed place(uint16_t machine, const struct cfa_place *p,
			   enum unwind_where unspecified)
{
	struct registers known = registers_of(machine);
	struct placed lost = { .where = UNWIND_LOST };
	struct shape s;

	switch (p->how) {
	case CFA_UNSPECIFIED:
		return (struct placed){ .where = unspecified };
	case CFA_SAME:
		return (struct placed){ .where = UNWIND_SAME };
	case CFA_OFFSET:
		if (!fits(p->value))
			return lost;
		return (struct placed){ UNWIND_AT_CFA, (int32_t)p->value };
	case CFA_REGISTER:
		if (p->value < 0 || p->value > 31)
			return lost;
		return (struct placed){ UNWIND_IN_REG, (int32_t)p->value };
	case CFA_EXPRESSION:
		if (!read_shape(p->expression, &s) || s.deref || s.add ||
		    !fits(s.offset))
			return lost;
		if (s.base == known.sp)
			return (struct placed){ UNWIND_AT_SP,
						(int32_t)s.offset };
		if (s.base == known.fp)
			return (struct placed){ UNWIND_AT_FP,
						(int32_t)s.offset };
		return lost;
	default:
		return lost;
	}
}

static void put_places(struct unwind_rule *rule, const struct cfa_run *run)
{
	const struct cfa_place *reg = run->state.reg;
	bool x86 = run->machine == EM_X86_64;
	struct placed ra = place(run->machine, &reg[CFA_RA],
				 x86 ? UNWIND_LOST : UNWIND_SAME);
	struct placed fp = place(run->machine, &reg[CFA_FP], UNWIND_SAME);
	/* A call overwrites aarch64's link register. */
	struct placed extra = place(run->machine, &reg[CFA_EXTRA],
				    x86 ? UNWIND_SAME : UNWIND_LOST);

	rule->ra_where = (uint8_t)(ra.where << 4);
	if (run->cie->signal)
		rule->ra_where |= UNWIND_SIGNAL;
	rule->ra = ra.offset;
	rule->where = (uint8_t)(fp.where | extra.where << 4);
	rule->fp = fp.offset;
	rule->extra = extra.offset;
}

static bool uses_cfa(const struct unwind_rule *rule)
{
	return rule_ra_where(rule) == UNWIND_AT_CFA ||
	       rule_fp_where(rule) == UNWIND_AT_CFA ||
	       rule_extra_where(rule) == UNWIND_AT_CFA;
}

/*
 * A few routines (longjmp, setcontext, signal return) do not leave the stack
 * pointer at the CFA.  If nothing else is found through the CFA, the rule's
 * can be made to be the new stack pointer; else it must hold both.
 */
static void put_stack_pointer(struct unwind_rule *rule,
			      const struct cfa_run *run)
{
	const struct cfa_place *sp = &run->state.reg[CFA_SP];
	struct placed at = place(run->machine, sp, UNWIND_SAME);

	if (sp->how == CFA_UNSPECIFIED || sp->how == CFA_SAME ||
	    (sp->how == CFA_VAL_OFFSET && !sp->value))
		return;
	if (uses_cfa(rule) && rule->kind == UNWIND_REG &&
	    at.where != UNWIND_LOST) {
		rule->kind = UNWIND_CONTEXT;
		rule->where = (uint8_t)(rule_fp_where(rule) | at.where << 4);
		rule->extra = at.offset;
	} else if (uses_cfa(rule)) {
		*rule = (struct unwind_rule){ .kind = UNWIND_NONE };
	} else if (at.where == UNWIND_AT_SP || at.where == UNWIND_AT_FP) {
		rule->kind = at.where == UNWIND_AT_SP ? UNWIND_SP_DEREF
						      : UNWIND_FP_DEREF;
		rule->cfa = at.offset;
		rule->arg = 0;
	} else if (at.where == UNWIND_IN_REG) {
		rule->kind = UNWIND_REG;
		rule->arg = (int8_t)at.offset;
		rule->cfa = 0;
	} else {
		*rule = (struct unwind_rule){ .kind = UNWIND_NONE };
	}
}

struct unwind_rule rule_encode(const struct cfa_run *run)
{
	const struct cfa_state *state = &run->state;
	struct unwind_rule none = { .kind = UNWIND_NONE };
	struct unwind_rule rule;

	if (state->reg[CFA_RA].how == CFA_UNDEFINED)
		return (struct unwind_rule){ .kind = UNWIND_END };
	rule = state->expression.len
		       ? from_expression(run->machine, state->expression)
		       : from_register(run->machine, state->base,
				       state->offset);
	if (rule.kind == UNWIND_NONE)
		return none;
	put_places(&rule, run);
	put_stack_pointer(&rule, run);
	if (rule.kind == UNWIND_NONE || rule_ra_where(&rule) == UNWIND_LOST)
		return none;
	return rule;
}

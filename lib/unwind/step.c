/* SPDX-License-Identifier: MIT */
/*
 * One step from a frame to its caller.  Runs in signal handlers and inside
 * malloc: it takes no lock, allocates nothing, calls nothing but the memory
 * reader it was given, and trusts neither registers nor stack.
 */
#include "unwind/step.h"

#include "unwind/expression.h"

/* No frame between two frame pointers is larger than this. */
enum { LARGEST_FP_FRAME = 1 << 20 };

static const char *const reason_text[UNWIND_REASONS] = {
	[UNWIND_GOING] = "not finished",
	[UNWIND_COMPLETE] = "complete",
	[UNWIND_TOO_DEEP] = "stack too deep",
	[UNWIND_NO_RULE] = "no unwind information for the code",
	[UNWIND_NO_CODE] = "return address not in code",
	[UNWIND_UNREADABLE] = "stack not readable",
	[UNWIND_REGISTER] = "a register was not recorded",
	[UNWIND_STUCK] = "frames out of order",
};

const char *unwind_reason_text(enum unwind_reason reason)
{
	return reason < UNWIND_REASONS ? reason_text[reason] : "unknown";
}

static enum unwind_reason deref(const struct unwind_memory *m, uint64_t addr,
				int8_t add, uint64_t *value)
{
	if (!unwind_read(m, addr, value))
		return UNWIND_UNREADABLE;
	*value += (uint64_t)add;
	return UNWIND_GOING;
}

static enum unwind_reason add(bool known, uint64_t base, int32_t offset,
			      uint64_t *value)
{
	*value = base + (uint64_t)offset;
	return known ? UNWIND_GOING : UNWIND_REGISTER;
}

static enum unwind_reason by_register(const struct unwind_rule *rule,
				      const struct unwind_regs *regs,
				      uint64_t *cfa)
{
	unsigned reg = (unsigned)rule->arg;

	if (!regs->all || reg >= regs->n_all)
		return UNWIND_REGISTER;
	return add(true, regs->all[reg], rule->cfa, cfa);
}

static enum unwind_reason by_expression(const struct unwind_rule *rule,
					struct span expressions,
					const struct unwind_memory *m,
					const struct unwind_regs *regs,
					uint64_t *cfa)
{
	struct span len = span_part(expressions, (uint32_t)rule->cfa, 1);

	if (!len.len)
		return UNWIND_NO_RULE;
	return unwind_evaluate(
		span_part(expressions, (uint32_t)rule->cfa + 1u, len.at[0]),
		regs, m, cfa);
}

static enum unwind_reason find_cfa(const struct unwind_rule *rule,
				   struct span expressions,
				   const struct unwind_memory *m,
				   const struct unwind_regs *regs,
				   uint64_t *cfa)
{
	bool has_fp = regs->known & UNWIND_HAS_FP;
	bool has_extra = regs->known & UNWIND_HAS_EXTRA;

	switch (rule->kind) {
	case UNWIND_SP:
		return add(true, regs->sp, rule->cfa, cfa);
	case UNWIND_FP:
		return add(has_fp, regs->fp, rule->cfa, cfa);
	case UNWIND_END:
		return UNWIND_COMPLETE;
	case UNWIND_PLT:
		return add(true,
			   regs->sp +
				   ((regs->pc & 15) >= (uint8_t)rule->arg) * 8,
			   rule->cfa, cfa);
	case UNWIND_EXTRA:
		return add(has_extra, regs->extra, rule->cfa, cfa);
	case UNWIND_REG:
	case UNWIND_CONTEXT:
		return by_register(rule, regs, cfa);
	case UNWIND_SP_DEREF:
		return deref(m, regs->sp + (uint64_t)rule->cfa, rule->arg, cfa);
	case UNWIND_FP_DEREF:
		if (!has_fp)
			return UNWIND_REGISTER;
		return deref(m, regs->fp + (uint64_t)rule->cfa, rule->arg, cfa);
	case UNWIND_EXPR:
		return by_expression(rule, expressions, m, regs, cfa);
	default:
		return UNWIND_NO_RULE;
	}
}

/* A register of the caller: where it is, and what it was in the callee. */
struct wanted {
	unsigned where;
	int32_t offset;
	bool known;
	uint64_t value;
};

static enum unwind_reason find_saved(struct wanted *w, uint64_t cfa,
				     const struct unwind_memory *m,
				     const struct unwind_regs *regs)
{
	uint64_t base = cfa;

	switch (w->where) {
	case UNWIND_SAME:
		return w->known ? UNWIND_GOING : UNWIND_REGISTER;
	case UNWIND_AT_CFA:
		break;
	case UNWIND_AT_SP:
		base = regs->sp;
		break;
	case UNWIND_AT_FP:
		if (!(regs->known & UNWIND_HAS_FP))
			return UNWIND_REGISTER;
		base = regs->fp;
		break;
	case UNWIND_IN_REG:
		if (!regs->all || (uint32_t)w->offset >= regs->n_all)
			return UNWIND_REGISTER;
		w->value = regs->all[w->offset];
		return UNWIND_GOING;
	default:
		return UNWIND_REGISTER;
	}
	base += (uint64_t)w->offset;
	if (unwind_read(m, base, &w->value))
		return UNWIND_GOING;
	/*
	 * Compilers go on to say that a register is in memory when it has been
	 * popped.  It is below the stack then, where a copy has nothing.
	 */
	if (regs->exact && w->known && base < regs->sp)
		return UNWIND_GOING;
	return UNWIND_UNREADABLE;
}

/*
 * Each frame lies above the one it called.  A leaf function of aarch64 may
 * have none; signals and Go's runtime change stacks; and what a register of
 * interrupted code says (longjmp) is right by definition.
 */
static bool moves_up(const struct unwind_rule *rule,
		     const struct unwind_regs *regs, uint64_t cfa)
{
	if ((rule->ra_where & (UNWIND_SIGNAL | UNWIND_ANYWHERE)) ||
	    rule->kind == UNWIND_REG || rule->kind == UNWIND_CONTEXT)
		return true;
	return cfa > regs->sp || (cfa == regs->sp && regs->exact);
}

enum unwind_reason unwind_apply(const struct unwind_rule *rule,
				struct span expressions,
				const struct unwind_memory *m,
				uint64_t code_mask, struct unwind_regs *regs)
{
	bool has_extra = regs->known & UNWIND_HAS_EXTRA;
	struct wanted ra = { rule_ra_where(rule), rule->ra, has_extra,
			     regs->extra };
	struct wanted fp = { rule_fp_where(rule), rule->fp,
			     regs->known & UNWIND_HAS_FP, regs->fp };
	struct wanted extra = { rule_extra_where(rule), rule->extra, has_extra,
				regs->extra };
	enum unwind_reason reason;
	uint64_t cfa;
	uint8_t known = 0;

	reason = find_cfa(rule, expressions, m, regs, &cfa);
	if (reason != UNWIND_GOING)
		return reason;
	if (!moves_up(rule, regs, cfa))
		return UNWIND_STUCK;
	reason = find_saved(&ra, cfa, m, regs);
	if (reason != UNWIND_GOING)
		return reason;
	/* Without these two the next frame may well be found all the same. */
	if (find_saved(&fp, cfa, m, regs) == UNWIND_GOING)
		known |= UNWIND_HAS_FP;
	if (find_saved(&extra, cfa, m, regs) == UNWIND_GOING)
		known |= UNWIND_HAS_EXTRA;
	if (rule->kind == UNWIND_CONTEXT) {
		if (!(known & UNWIND_HAS_EXTRA))
			return UNWIND_UNREADABLE;
		cfa = extra.value;
		known &= (uint8_t)~UNWIND_HAS_EXTRA;
	}

	*regs = (struct unwind_regs){
		.pc = ra.value & code_mask,
		.sp = cfa,
		.fp = fp.value,
		.extra = extra.value,
		.known = known,
		.exact = rule->ra_where & UNWIND_SIGNAL,
	};
	return UNWIND_GOING;
}

enum unwind_reason unwind_by_fp(const struct unwind_memory *m,
				uint64_t code_mask, struct unwind_regs *regs)
{
	uint64_t fp = regs->fp;
	uint64_t saved;
	uint64_t ra;

	if (!(regs->known & UNWIND_HAS_FP))
		return UNWIND_NO_RULE;
	/* Start code clears it, so that chains of frame pointers end. */
	if (!fp)
		return regs->exact ? UNWIND_NO_RULE : UNWIND_COMPLETE;
	if (fp % 8 || fp < regs->sp || fp - regs->sp > LARGEST_FP_FRAME)
		return UNWIND_NO_RULE;
	if (!unwind_read(m, fp, &saved) || !unwind_read(m, fp + 8, &ra))
		return UNWIND_UNREADABLE;

	*regs = (struct unwind_regs){
		.pc = ra & code_mask,
		.sp = fp + 16,
		.fp = saved,
		.known = UNWIND_HAS_FP,
	};
	return UNWIND_GOING;
}

/* SPDX-License-Identifier: MIT */
/*
 * A stack machine without jumps: each operation is read once, so any
 * expression ends.  What is not understood is UNWIND_NO_RULE.
 */
#include "unwind/expression.h"

#include "unwind/opcodes.h"

enum { STACK = 16 };

struct eval {
	struct reader r;
	const struct unwind_regs *regs;
	const struct unwind_memory *m;
	uint64_t stack[STACK];
	unsigned depth;
	enum unwind_reason reason; /* UNWIND_GOING while all is well */
};

static void push(struct eval *e, uint64_t value)
{
	if (e->depth == STACK)
		e->reason = UNWIND_NO_RULE;
	else
		e->stack[e->depth++] = value;
}

static uint64_t pop(struct eval *e)
{
	if (!e->depth) {
		e->reason = UNWIND_NO_RULE;
		return 0;
	}
	return e->stack[--e->depth];
}

static void push_register(struct eval *e, unsigned reg)
{
	uint64_t offset = (uint64_t)reader_sleb(&e->r);

	if (!e->regs->all || reg >= e->regs->n_all) {
		e->reason = UNWIND_REGISTER;
		return;
	}
	push(e, e->regs->all[reg] + offset);
}

static void binary(struct eval *e, unsigned op)
{
	uint64_t b = pop(e);
	uint64_t a = pop(e);

	switch (op) {
	case DW_OP_and:
		return push(e, a & b);
	case DW_OP_or:
		return push(e, a | b);
	case DW_OP_plus:
		return push(e, a + b);
	case DW_OP_minus:
		return push(e, a - b);
	case DW_OP_mul:
		return push(e, a * b);
	case DW_OP_shl:
		return push(e, b < 64 ? a << b : 0);
	case DW_OP_shr:
		return push(e, b < 64 ? a >> b : 0);
	case DW_OP_eq:
		return push(e, a == b);
	case DW_OP_ne:
		return push(e, a != b);
	case DW_OP_ge:
		return push(e, (int64_t)a >= (int64_t)b);
	case DW_OP_gt:
		return push(e, (int64_t)a > (int64_t)b);
	case DW_OP_le:
		return push(e, (int64_t)a <= (int64_t)b);
	case DW_OP_lt:
		return push(e, (int64_t)a < (int64_t)b);
	default:
		e->reason = UNWIND_NO_RULE;
	}
}

static void constant(struct eval *e, unsigned op)
{
	switch (op) {
	case DW_OP_const1u:
		return push(e, reader_u8(&e->r));
	case DW_OP_const1s:
		return push(e, (uint64_t)(int8_t)reader_u8(&e->r));
	case DW_OP_const2u:
		return push(e, reader_u16(&e->r));
	case DW_OP_const2s:
		return push(e, (uint64_t)(int16_t)reader_u16(&e->r));
	case DW_OP_const4u:
		return push(e, reader_u32(&e->r));
	case DW_OP_const4s:
		return push(e, (uint64_t)(int32_t)reader_u32(&e->r));
	case DW_OP_constu:
		return push(e, reader_uleb(&e->r));
	case DW_OP_consts:
		return push(e, (uint64_t)reader_sleb(&e->r));
	default:
		return push(e, reader_u64(&e->r));
	}
}

static void dereference(struct eval *e)
{
	uint64_t value;

	if (!unwind_read(e->m, pop(e), &value))
		e->reason = UNWIND_UNREADABLE;
	else
		push(e, value);
}

static void operate(struct eval *e, unsigned op)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		push(e, op - DW_OP_lit0);
	else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		push_register(e, op - DW_OP_breg0);
	else if (op >= DW_OP_const1u && op <= DW_OP_consts)
		constant(e, op);
	else if (op == DW_OP_deref)
		dereference(e);
	else if (op == DW_OP_plus_uconst)
		push(e, pop(e) + reader_uleb(&e->r));
	else
		binary(e, op);
}

enum unwind_reason unwind_evaluate(struct span code,
				   const struct unwind_regs *regs,
				   const struct unwind_memory *m,
				   uint64_t *value)
{
	struct eval e = { .r = reader_of(code), .regs = regs, .m = m };

	while (reader_left(&e.r) && !e.r.failed && e.reason == UNWIND_GOING)
		operate(&e, reader_u8(&e.r));
	if (e.reason == UNWIND_GOING)
		*value = pop(&e);
	if (e.reason == UNWIND_GOING && e.r.failed)
		return UNWIND_NO_RULE;
	return e.reason;
}

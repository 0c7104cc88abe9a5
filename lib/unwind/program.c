/* SPDX-License-Identifier: MIT */
/*
 * Runs call frame programs.  Only the registers that stepping needs are
 * followed, which makes a state small enough to copy for remember_state and
 * leaves most instructions of a prologue without effect.
 */
#include "unwind/program.h"

#include <elf.h>
#include <errno.h>

#include "unwind/opcodes.h"

/* Compilers nest one deep, assembly routines two. */
enum { REMEMBER_DEPTH = 8 };

struct machine {
	struct cfa_run *run;
	struct reader r;
	struct cfa_state saved[REMEMBER_DEPTH];
	unsigned depth;
	bool bad;
};

static int slot_x86(uint64_t reg)
{
	switch (reg) {
	case X86_RBP:
		return CFA_FP;
	case X86_RBX:
		return CFA_EXTRA;
	case X86_RSP:
		return CFA_SP;
	default:
		return -1;
	}
}

static int slot_aarch64(uint64_t reg)
{
	switch (reg) {
	case ARM_X29:
		return CFA_FP;
	case ARM_SP:
		return CFA_SP;
	default:
		return -1;
	}
}

static struct cfa_place *place_of(struct machine *m, uint64_t reg)
{
	struct cfa_run *run = m->run;
	int slot;

	if (reg == run->cie->ra)
		return &run->state.reg[CFA_RA];
	slot = run->machine == EM_X86_64 ? slot_x86(reg) : slot_aarch64(reg);
	return slot < 0 ? NULL : &run->state.reg[slot];
}

static void set(struct machine *m, uint64_t reg, enum cfa_how how,
		int64_t value)
{
	struct cfa_place *place = place_of(m, reg);

	if (place)
		*place = (struct cfa_place){ .how = (uint8_t)how,
					     .value = value };
}

static void set_expression(struct machine *m, enum cfa_how how)
{
	struct cfa_place *place = place_of(m, reader_uleb(&m->r));
	struct span bytes = reader_take(&m->r, reader_uleb(&m->r));

	if (place)
		*place = (struct cfa_place){ .how = (uint8_t)how,
					     .expression = bytes };
}

static int64_t scaled(struct machine *m, uint64_t factored)
{
	return (int64_t)(factored * (uint64_t)m->run->cie->data_align);
}

static void restore(struct machine *m, uint64_t reg)
{
	struct cfa_place *place = place_of(m, reg);
	const struct cfa_state *initial = m->run->initial;

	if (!place)
		return;
	*place = initial ? initial->reg[place - m->run->state.reg]
			 : (struct cfa_place){ 0 };
}

/* The state so far holds up to pc. */
static void advance_to(struct machine *m, uint64_t pc)
{
	struct cfa_run *run = m->run;

	if (pc < run->pc) {
		m->bad = true;
		return;
	}
	if (pc == run->pc)
		return;
	if (run->row)
		run->row(run->to, run);
	run->pc = pc;
}

static void advance(struct machine *m, uint64_t delta)
{
	uint64_t bytes;
	uint64_t pc;

	if (__builtin_mul_overflow(delta, m->run->cie->code_align, &bytes) ||
	    __builtin_add_overflow(m->run->pc, bytes, &pc))
		m->bad = true;
	else
		advance_to(m, pc);
}

static void set_loc(struct machine *m)
{
	const struct cfi_section *s = m->run->section;
	struct cfi_pointer p = { .section_start = s->bytes.at,
				 .section_addr = s->addr,
				 .encoding = m->run->cie->encoding };
	uint64_t pc = cfi_read_pointer(&m->r, &p);

	if (!m->r.failed)
		advance_to(m, pc);
}

static void remember(struct machine *m)
{
	if (m->depth == REMEMBER_DEPTH)
		m->bad = true;
	else
		m->saved[m->depth++] = m->run->state;
}

static void recall(struct machine *m)
{
	if (!m->depth)
		m->bad = true;
	else
		m->run->state = m->saved[--m->depth];
}

static void def_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	m->run->state.base = reg;
	m->run->state.offset = offset;
	m->run->state.expression = (struct span){ 0 };
}

static void step_location(struct machine *m, unsigned op)
{
	switch (op) {
	case DW_CFA_set_loc:
		set_loc(m);
		break;
	case DW_CFA_advance_loc1:
		advance(m, reader_u8(&m->r));
		break;
	case DW_CFA_advance_loc2:
		advance(m, reader_u16(&m->r));
		break;
	default:
		advance(m, reader_u32(&m->r));
		break;
	}
}

static void step_cfa(struct machine *m, unsigned op)
{
	struct cfa_state *state = &m->run->state;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = reader_uleb(&m->r);
		def_cfa(m, reg, (int64_t)reader_uleb(&m->r));
		break;
	case DW_CFA_def_cfa_sf:
		reg = reader_uleb(&m->r);
		def_cfa(m, reg, scaled(m, (uint64_t)reader_sleb(&m->r)));
		break;
	case DW_CFA_def_cfa_register:
		def_cfa(m, reader_uleb(&m->r), state->offset);
		break;
	case DW_CFA_def_cfa_offset:
		def_cfa(m, state->base, (int64_t)reader_uleb(&m->r));
		break;
	case DW_CFA_def_cfa_offset_sf:
		def_cfa(m, state->base,
			scaled(m, (uint64_t)reader_sleb(&m->r)));
		break;
	default:
		state->expression = reader_take(&m->r, reader_uleb(&m->r));
		m->bad |= !state->expression.len;
		break;
	}
}

static void step_register(struct machine *m, unsigned op)
{
	uint64_t reg = reader_uleb(&m->r);
	uint64_t operand;

	switch (op) {
	case DW_CFA_offset_extended:
		set(m, reg, CFA_OFFSET, scaled(m, reader_uleb(&m->r)));
		break;
	case DW_CFA_offset_extended_sf:
		operand = (uint64_t)reader_sleb(&m->r);
		set(m, reg, CFA_OFFSET, scaled(m, operand));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		operand = -reader_uleb(&m->r);
		set(m, reg, CFA_OFFSET, scaled(m, operand));
		break;
	case DW_CFA_val_offset:
		set(m, reg, CFA_VAL_OFFSET, scaled(m, reader_uleb(&m->r)));
		break;
	case DW_CFA_val_offset_sf:
		operand = (uint64_t)reader_sleb(&m->r);
		set(m, reg, CFA_VAL_OFFSET, scaled(m, operand));
		break;
	case DW_CFA_register:
		set(m, reg, CFA_REGISTER, (int64_t)reader_uleb(&m->r));
		break;
	case DW_CFA_restore_extended:
		restore(m, reg);
		break;
	case DW_CFA_undefined:
		set(m, reg, CFA_UNDEFINED, 0);
		break;
	default:
		set(m, reg, CFA_SAME, 0);
		break;
	}
}

static void step_extended(struct machine *m, unsigned op)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_AARCH64_negate_ra_state:
	case DW_CFA_AARCH64_negate_ra_state_with_pc:
		/* Signed or not: return addresses are always stripped. */
		break;
	case DW_CFA_set_loc:
	case DW_CFA_advance_loc1:
	case DW_CFA_advance_loc2:
	case DW_CFA_advance_loc4:
		step_location(m, op);
		break;
	case DW_CFA_remember_state:
		remember(m);
		break;
	case DW_CFA_restore_state:
		recall(m);
		break;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_expression:
		step_cfa(m, op);
		break;
	case DW_CFA_expression:
		set_expression(m, CFA_EXPRESSION);
		break;
	case DW_CFA_val_expression:
		set_expression(m, CFA_VAL_EXPRESSION);
		break;
	case DW_CFA_GNU_args_size:
		(void)reader_uleb(&m->r);
		break;
	default:
		/* What is left of the known ones starts with a register. */
		if (op <= DW_CFA_val_offset_sf ||
		    op == DW_CFA_GNU_negative_offset_extended)
			step_register(m, op);
		else
			m->bad = true;
		break;
	}
}

static void step(struct machine *m)
{
	unsigned op = reader_u8(&m->r);
	unsigned operand = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		advance(m, operand);
		break;
	case DW_CFA_offset:
		set(m, operand, CFA_OFFSET, scaled(m, reader_uleb(&m->r)));
		break;
	case DW_CFA_restore:
		restore(m, operand);
		break;
	default:
		step_extended(m, op);
		break;
	}
}

int cfa_run(struct cfa_run *run, struct span program)
{
	struct machine m;

	m.run = run;
	m.r = reader_of(program);
	m.depth = 0;
	m.bad = false;
	while (m.r.at != m.r.end) {
		if (!*run->budget)
			return -E2BIG;
		--*run->budget;
		step(&m);
		if (m.bad || m.r.failed)
			return -EBADMSG;
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Compiling call frame information to tables, and looking things up in them. */
#include <elf.h>
#include <errno.h>

#include "base/arena.h"
#include "base/error.h"
#include "cfi.h"
#include "test.h"
#include "unwind/table.h"

/* What every function of x86-64 starts with. */
#define X86_ENTRY DW_CFA_def_cfa, X86_RSP, 8, DW_CFA_offset | X86_RIP, 1

static struct arena arena;
static struct unwind_table table;

static int compile(const struct cfi_writer *w, uint16_t machine)
{
	static struct span image;
	struct cfi_section section = { .bytes = span_of(w->bytes, w->len) };
	struct unwind_source source = {
		.machine = machine,
		.text_lo = 0x1000,
		.text_hi = 0x100000,
		.sections = &section,
		.n_sections = 1,
	};
	int ret;

	ret = unwind_compile(&source, &arena, &image, NULL);
	return ret < 0 ? ret : unwind_table_open(&table, image, NULL);
}

static struct unwind_rule rule_at(uint64_t pc)
{
	const struct unwind_rule *rule = unwind_table_find(&table, pc);

	return rule ? *rule : (struct unwind_rule){ .kind = UNWIND_NONE };
}

TEST(a_prologue_gives_a_row_per_change)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));

	put_fde(&w, cie, 0x2000,
		PROGRAM(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16,
			DW_CFA_offset | X86_RBP, 2, DW_CFA_advance_loc | 3,
			DW_CFA_def_cfa_register, X86_RBP,
			DW_CFA_advance_loc | 0x20, DW_CFA_def_cfa, X86_RSP, 8));
	CHECK_EQ(compile(&w, EM_X86_64), 0);

	CHECK_EQ(rule_at(0x1fff).kind, UNWIND_NONE);
	CHECK_EQ(rule_at(0x2000).kind, UNWIND_SP);
	CHECK_EQ(rule_at(0x2000).cfa, 8);
	CHECK_EQ(rule_at(0x2000).ra, -8);
	CHECK_EQ(rule_at(0x2000).where, UNWIND_SAME);
	CHECK_EQ(rule_at(0x2001).cfa, 16);
	CHECK_EQ(rule_at(0x2003).kind, UNWIND_SP);
	CHECK_EQ(rule_at(0x2004).kind, UNWIND_FP);
	CHECK_EQ(rule_at(0x2004).fp, -16);
	CHECK_EQ(rule_at(0x2023).kind, UNWIND_FP);
	CHECK_EQ(rule_at(0x2024).kind, UNWIND_SP);
	CHECK_EQ(rule_at(0x20ff).kind, UNWIND_SP);
	CHECK_EQ(rule_at(0x2100).kind, UNWIND_NONE);
	arena_release(&arena);
}

TEST(states_are_remembered_and_restored)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));

	put_fde(&w, cie, 0x2000,
		PROGRAM(DW_CFA_def_cfa_offset, 32, DW_CFA_offset | X86_RBP, 3,
			DW_CFA_advance_loc | 8, DW_CFA_remember_state,
			DW_CFA_def_cfa_offset, 8, DW_CFA_restore | X86_RBP,
			DW_CFA_advance_loc | 1, DW_CFA_restore_state));
	CHECK_EQ(compile(&w, EM_X86_64), 0);
	CHECK_EQ(rule_at(0x2000).fp, -24);
	CHECK_EQ(rule_at(0x2008).cfa, 8);
	CHECK_EQ(rule_at(0x2008).where, UNWIND_SAME);
	CHECK_EQ(rule_at(0x2009).cfa, 32);
	CHECK_EQ(rule_at(0x2009).fp, -24);
	arena_release(&arena);
}

TEST(an_undefined_return_address_ends_the_stack)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));

	put_fde(&w, cie, 0x2000, PROGRAM(DW_CFA_undefined, X86_RIP));
	CHECK_EQ(compile(&w, EM_X86_64), 0);
	CHECK_EQ(rule_at(0x2010).kind, UNWIND_END);
	arena_release(&arena);
}

TEST(a_plt_is_recognised_with_its_threshold)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));

	put_fde(&w, cie, 0x2000,
		PROGRAM(DW_CFA_def_cfa_expression, 11, DW_OP_breg0 + X86_RSP, 8,
			DW_OP_breg0 + X86_RIP, 0, DW_OP_lit0 + 15, DW_OP_and,
			DW_OP_lit0 + 9, DW_OP_ge, DW_OP_lit0 + 3, DW_OP_shl,
			DW_OP_plus));
	CHECK_EQ(compile(&w, EM_X86_64), 0);
	CHECK_EQ(rule_at(0x2010).kind, UNWIND_PLT);
	CHECK_EQ(rule_at(0x2010).arg, 9);
	arena_release(&arena);
}

TEST(a_signal_frame_is_recognised)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "S", X86_RIP, PROGRAM(X86_ENTRY));

	put_fde(&w, cie, 0x2000,
		PROGRAM(DW_CFA_def_cfa_expression, 4, DW_OP_breg0 + X86_RSP,
			0xa0, 0x01, DW_OP_deref, DW_CFA_expression, X86_RIP, 3,
			DW_OP_breg0 + X86_RSP, 0xa8, 0x01, DW_CFA_expression,
			X86_RBP, 3, DW_OP_breg0 + X86_RSP, 0xf8, 0x00));
	CHECK_EQ(compile(&w, EM_X86_64), 0);

	struct unwind_rule rule = rule_at(0x2000);

	CHECK_EQ(rule.kind, UNWIND_SP_DEREF);
	CHECK_EQ(rule.cfa, 160);
	CHECK_EQ(rule.ra_where, UNWIND_AT_SP << 4 | UNWIND_SIGNAL);
	CHECK_EQ(rule.ra, 168);
	CHECK_EQ(rule_fp_where(&rule), UNWIND_AT_SP);
	CHECK_EQ(rule.fp, 120);
	arena_release(&arena);
}

TEST(other_expressions_are_stored_once)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));

	for (uint64_t lo = 0x2000; lo <= 0x2200; lo += 0x200)
		put_fde(&w, cie, lo,
			PROGRAM(DW_CFA_def_cfa_expression, 5,
				DW_OP_breg0 + X86_RSP, 8, DW_OP_lit0 + 8,
				DW_OP_mul, DW_OP_deref));
	CHECK_EQ(compile(&w, EM_X86_64), 0);
	CHECK_EQ(rule_at(0x2000).kind, UNWIND_EXPR);
	CHECK_EQ(rule_at(0x2200).kind, UNWIND_EXPR);
	CHECK_EQ(rule_at(0x2200).cfa, rule_at(0x2000).cfa);
	CHECK_EQ(table.expressions.len, 6);
	arena_release(&arena);
}

TEST(a_leaf_of_aarch64_returns_through_the_link_register)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "B", ARM_X30,
			     PROGRAM(DW_CFA_def_cfa, ARM_SP, 0));

	put_fde(&w, cie, 0x2000,
		PROGRAM(DW_CFA_AARCH64_negate_ra_state, DW_CFA_advance_loc | 4,
			DW_CFA_def_cfa_offset, 32, DW_CFA_offset | ARM_X29, 4,
			DW_CFA_offset | ARM_X30, 3));
	CHECK_EQ(compile(&w, EM_AARCH64), 0);

	struct unwind_rule leaf = rule_at(0x2000);
	struct unwind_rule body = rule_at(0x2004);

	CHECK_EQ(rule_ra_where(&leaf), UNWIND_SAME);
	CHECK_EQ(leaf.cfa, 0);
	CHECK_EQ(rule_ra_where(&body), UNWIND_AT_CFA);
	CHECK_EQ(body.ra, -24);
	CHECK_EQ(body.fp, -32);
	arena_release(&arena);
}

TEST(padding_belongs_to_the_function_before_but_gaps_to_nobody)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));

	put_fde(&w, cie, 0x2000, PROGRAM(DW_CFA_def_cfa_offset, 24));
	put_fde(&w, cie, 0x2108, PROGRAM(DW_CFA_def_cfa_offset, 32));
	put_fde(&w, cie, 0x3000, PROGRAM(DW_CFA_nop));
	CHECK_EQ(compile(&w, EM_X86_64), 0);
	CHECK_EQ(rule_at(0x2104).cfa, 24);
	CHECK_EQ(rule_at(0x2108).cfa, 32);
	CHECK_EQ(rule_at(0x2208).kind, UNWIND_NONE);
	CHECK_EQ(rule_at(0x2fff).kind, UNWIND_NONE);
	CHECK_EQ(rule_at(0x3000).cfa, 8);
	arena_release(&arena);
}

TEST(a_rule_reaches_over_pages_without_rows)
{
	struct unwind_hint hint = { .lo = 0x1800,
				    .hi = 0x9000,
				    .rule = { .kind = UNWIND_END } };
	struct unwind_source source = { .machine = EM_X86_64,
					.text_lo = 0x1000,
					.text_hi = 0x100000,
					.hints = &hint,
					.n_hints = 1 };
	struct span image;

	CHECK_EQ(unwind_compile(&source, &arena, &image, NULL), 0);
	CHECK_EQ(unwind_table_open(&table, image, NULL), 0);
	CHECK_EQ(rule_at(0x17ff).kind, UNWIND_NONE);
	CHECK_EQ(rule_at(0x5000).kind, UNWIND_END);
	CHECK_EQ(rule_at(0x8fff).kind, UNWIND_END);
	CHECK_EQ(rule_at(0x9000).kind, UNWIND_NONE);
	arena_release(&arena);
}

TEST(unsorted_and_overlapping_entries_are_settled)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));

	put_fde(&w, cie, 0x3000, PROGRAM(DW_CFA_def_cfa_offset, 24));
	put_fde(&w, cie, 0x2000, PROGRAM(DW_CFA_def_cfa_offset, 32));
	put_fde(&w, cie, 0x2080, PROGRAM(DW_CFA_def_cfa_offset, 40));
	CHECK_EQ(compile(&w, EM_X86_64), 0);
	CHECK_EQ(rule_at(0x207f).cfa, 32);
	CHECK_EQ(rule_at(0x2080).cfa, 40);
	CHECK_EQ(rule_at(0x217f).cfa, 40);
	CHECK_EQ(rule_at(0x3000).cfa, 24);
	arena_release(&arena);
}

TEST(hints_come_first_and_weak_ones_last)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));
	struct unwind_hint hints[] = {
		{ .lo = 0x2040, .hi = 0x2050, .rule = { .kind = UNWIND_END } },
		{ .lo = 0x2080,
		  .hi = 0x2180,
		  .rule = { .kind = UNWIND_END },
		  .weak = true },
		{ .lo = 0x2200,
		  .hi = 0x2210,
		  .rule = { .kind = UNWIND_END },
		  .weak = true },
	};
	struct cfi_section section = { 0 };
	struct unwind_source source = { .machine = EM_X86_64,
					.text_lo = 0x1000,
					.text_hi = 0x100000,
					.sections = &section,
					.n_sections = 1,
					.hints = hints,
					.n_hints = 3 };
	struct span image;

	put_fde(&w, cie, 0x2000, PROGRAM(DW_CFA_nop));
	section.bytes = span_of(w.bytes, w.len);
	CHECK_EQ(unwind_compile(&source, &arena, &image, NULL), 0);
	CHECK_EQ(unwind_table_open(&table, image, NULL), 0);
	CHECK_EQ(rule_at(0x203f).kind, UNWIND_SP);
	CHECK_EQ(rule_at(0x2040).kind, UNWIND_END);
	CHECK_EQ(rule_at(0x2050).kind, UNWIND_SP);
	CHECK_EQ(rule_at(0x2090).kind, UNWIND_SP);
	CHECK_EQ(rule_at(0x2120).kind, UNWIND_NONE);
	CHECK_EQ(rule_at(0x2200).kind, UNWIND_END);
	arena_release(&arena);
}

TEST(a_damaged_program_keeps_the_rows_before_the_damage)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));

	put_fde(&w, cie, 0x2000,
		PROGRAM(DW_CFA_advance_loc | 8, DW_CFA_def_cfa_offset, 16,
			DW_CFA_advance_loc | 8, 0x3f));
	CHECK_EQ(compile(&w, EM_X86_64), 0);
	CHECK_EQ(rule_at(0x2000).cfa, 8);
	CHECK_EQ(rule_at(0x2008).cfa, 16);
	CHECK_EQ(rule_at(0x2010).kind, UNWIND_NONE);
	CHECK(table.flags & UNWIND_PARTIAL);
	arena_release(&arena);
}

TEST(programs_made_to_be_slow_are_given_up)
{
	static struct cfi_writer w;
	uint8_t program[3000];
	size_t cie;

	w = (struct cfi_writer){ 0 };
	/* Each function runs the whole program of its CIE again... */
	for (size_t i = 0; i < sizeof(program); i++)
		program[i] = DW_CFA_advance_loc | 1;
	cie = put_cie(&w, "", X86_RIP, program, sizeof(program));
	for (uint64_t lo = 0x2000; lo < 0x3000; lo += 0x200)
		put_fde(&w, cie, lo, PROGRAM(DW_CFA_nop));
	/* ...but it is run once, and kept. */
	CHECK_EQ(compile(&w, EM_X86_64), 0);
	arena_release(&arena);
}

TEST(no_information_is_said_so)
{
	struct cfi_writer w = { 0 };

	CHECK_EQ(compile(&w, EM_X86_64), -ENODATA);
	CHECK_EQ(compile(&w, EM_ARM), -EINVAL);
	arena_release(&arena);
}

TEST(an_image_with_any_bit_changed_is_refused)
{
	struct cfi_writer w = { 0 };
	size_t cie = put_cie(&w, "", X86_RIP, PROGRAM(X86_ENTRY));
	struct cfi_section section = { 0 };
	struct unwind_source source = { .machine = EM_X86_64,
					.text_lo = 0x1000,
					.text_hi = 0x100000,
					.sections = &section,
					.n_sections = 1 };
	struct span image;

	put_fde(&w, cie, 0x2000, PROGRAM(DW_CFA_nop));
	section.bytes = span_of(w.bytes, w.len);
	CHECK_EQ(unwind_compile(&source, &arena, &image, NULL), 0);
	for (size_t i = 0; i < image.len * 8; i++) {
		uint8_t *byte = (uint8_t *)image.at + i / 8;

		*byte ^= (uint8_t)(1 << i % 8);
		CHECK_EQ(unwind_table_open(&table, image, NULL), -EBADMSG);
		*byte ^= (uint8_t)(1 << i % 8);
	}
	for (size_t len = 0; len < image.len; len++)
		CHECK_EQ(
			unwind_table_open(&table, span_of(image.at, len), NULL),
			-EBADMSG);
	CHECK_EQ(unwind_table_open(&table, image, NULL), 0);
	arena_release(&arena);
}

/* SPDX-License-Identifier: MIT */
/* Stepping and walking over stacks made by hand. */
#include <elf.h>
#include <string.h>

#include "base/arena.h"
#include "test.h"
#include "unwind/compile.h"
#include "unwind/guess.h"
#include "unwind/opcodes.h"
#include "unwind/table.h"
#include "unwind/walk.h"

enum { STACK = 0x7000, WORDS = 256, CODE = 0x2000 };

static uint64_t words[WORDS];
static uint8_t code[0x1000];
static struct arena arena;
static struct unwind_table table;
static struct unwind_module module;
static struct unwind_map map;

static bool read_code(void *context, uint64_t addr, uint64_t *value)
{
	(void)context;
	if (addr < CODE || addr > CODE + sizeof(code) - 8)
		return false;
	memcpy(value, code + (addr - CODE), 8);
	return true;
}

static struct unwind_walker walker(uint16_t machine)
{
	return (struct unwind_walker){
		.map = &map,
		.memory = { .lo = STACK,
			    .len = sizeof(words),
			    .copy = (const uint8_t *)words,
			    .read = read_code },
		.code_mask = machine == EM_X86_64 ? UNWIND_CODE_MASK_X86
						  : UNWIND_CODE_MASK_AARCH64,
		.machine = machine,
	};
}

/* A table of a hundred bytes for each rule, the first at CODE. */
static void use_rules(const struct unwind_rule *rules, unsigned count,
		      uint16_t machine)
{
	struct unwind_hint hints[8] = { 0 };
	struct unwind_source source = { .machine = machine,
					.text_lo = CODE,
					.text_hi = CODE + sizeof(code),
					.hints = hints,
					.n_hints = count };
	struct span image;

	memset(words, 0, sizeof(words));
	memset(code, 0x90, sizeof(code));
	arena_release(&arena);
	for (unsigned i = 0; i < count; i++)
		hints[i] = (struct unwind_hint){ .lo = CODE + 0x100 * i,
						 .hi = CODE + 0x100 * (i + 1),
						 .rule = rules[i] };
	CHECK_EQ(unwind_compile(&source, &arena, &image, NULL), 0);
	CHECK_EQ(unwind_table_open(&table, image, NULL), 0);
	module = (struct unwind_module){ .lo = CODE,
					 .hi = CODE + sizeof(code),
					 .table = &table };
	map = (struct unwind_map){ &module, 1, map.generation + 1 };
}

/* call *%rax, which returns to CODE + end */
static void put_call(unsigned end)
{
	code[end - 2] = 0xff;
	code[end - 1] = 0xd0;
}

static struct unwind_regs start(uint64_t pc)
{
	return (struct unwind_regs){ .pc = pc,
				     .sp = STACK,
				     .known = UNWIND_HAS_FP | UNWIND_HAS_EXTRA,
				     .exact = true };
}

static const struct unwind_rule sp_16 = {
	.kind = UNWIND_SP,
	.cfa = 16,
	.ra_where = UNWIND_AT_CFA << 4,
	.ra = -8,
};
static const struct unwind_rule end = { .kind = UNWIND_END };

TEST(a_walk_stores_calls_and_ends_at_the_start)
{
	struct unwind_rule rules[] = { sp_16, end };
	struct unwind_walker w = walker(EM_X86_64);
	uint64_t pcs[8];

	use_rules(rules, 2, EM_X86_64);
	words[1] = CODE + 0x10;
	words[3] = CODE + 0x100; /* the call ends the first function */
	words[5] = CODE + 0x150;
	struct unwind_result r = unwind_walk(&w, start(CODE), pcs, 8);

	CHECK_EQ(r.reason, UNWIND_COMPLETE);
	CHECK_EQ(r.count, 4);
	CHECK_EQ(pcs[0], CODE);
	CHECK_EQ(pcs[1], CODE + 0xf);
	CHECK_EQ(pcs[2], CODE + 0xff);
	CHECK_EQ(pcs[3], CODE + 0x14f);
	CHECK_EQ(r.guessed, 0);
}

TEST(a_walk_says_why_it_stopped)
{
	struct unwind_rule rules[] = { sp_16, end, { 0 } };
	struct unwind_walker w = walker(EM_X86_64);
	uint64_t pcs[8];

	use_rules(rules, 2, EM_X86_64);
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).reason, UNWIND_COMPLETE);
	words[1] = 12345;
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).reason, UNWIND_NO_CODE);
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).count, 1);
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = CODE + 1;
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).reason, UNWIND_TOO_DEEP);
	w.memory.len = 48;
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).reason,
		 UNWIND_UNREADABLE);
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).count, 4);
	CHECK_EQ(unwind_walk(&w, start(CODE + 0x300), pcs, 8).reason,
		 UNWIND_NO_RULE);
}

/* A compiler says that a register is below the stack once it is popped. */
TEST(a_popped_register_is_where_it_belongs)
{
	const struct unwind_rule popped = {
		.kind = UNWIND_SP,
		.cfa = 8,
		.ra_where = UNWIND_AT_CFA << 4,
		.ra = -8,
		.where = UNWIND_AT_CFA | UNWIND_LOST << 4,
		.fp = -16,
	};
	struct unwind_rule rules[] = { popped, end };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs = start(CODE);
	bool guessed;

	use_rules(rules, 2, EM_X86_64);
	words[0] = CODE + 0x110;
	regs.fp = 12345;
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	CHECK_EQ(regs.fp, 12345);
	CHECK(regs.known & UNWIND_HAS_FP);
}

TEST(a_frame_that_does_not_move_up_is_stuck)
{
	struct unwind_rule rules[] = { { .kind = UNWIND_FP,
					 .cfa = 16,
					 .ra_where = UNWIND_AT_CFA << 4,
					 .ra = -8 } };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs = start(CODE);
	bool guessed;

	use_rules(rules, 1, EM_X86_64);
	regs.fp = STACK - 32;
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_STUCK);
	CHECK_EQ(regs.pc, CODE);
	regs.fp = STACK;
	words[1] = CODE + 4;
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	/* The frame pointer has not changed, so the next one is the same. */
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_STUCK);
}

TEST(the_plt_rule_knows_both_halves_of_a_stub)
{
	struct unwind_rule rules[] = { { .kind = UNWIND_PLT,
					 .arg = 11,
					 .cfa = 8,
					 .ra_where = UNWIND_AT_CFA << 4,
					 .ra = -8 } };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs = start(CODE + 0x1a);
	bool guessed;

	use_rules(rules, 1, EM_X86_64);
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	CHECK_EQ(regs.sp, STACK + 8);
	regs = start(CODE + 0x1b);
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	CHECK_EQ(regs.sp, STACK + 16);
}

TEST(the_pc_behind_a_signal_frame_is_exact)
{
	struct unwind_rule rules[] = { unwind_signal_rule(EM_X86_64), end };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs = start(CODE);
	bool guessed;

	use_rules(rules, 2, EM_X86_64);
	words[160 / 8] = STACK - 4096; /* another stack */
	words[168 / 8] = CODE + 0x100;
	words[120 / 8] = 77;
	words[128 / 8] = 78;
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	CHECK(regs.exact);
	CHECK_EQ(regs.sp, STACK - 4096);
	CHECK_EQ(regs.fp, 77);
	CHECK_EQ(regs.extra, 78);
	/* At the first byte of the other function, not at the end of ours. */
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_COMPLETE);
}

TEST(registers_of_interrupted_code_are_gone_after_a_step)
{
	struct unwind_rule rules[] = { { .kind = UNWIND_REG,
					 .arg = 10,
					 .cfa = 0,
					 .ra_where = UNWIND_AT_CFA << 4,
					 .ra = -8 } };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs = start(CODE);
	uint64_t all[17] = { [10] = STACK + 32 };
	bool guessed;

	use_rules(rules, 1, EM_X86_64);
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_REGISTER);
	words[3] = CODE + 9;
	regs.all = all;
	regs.n_all = 17;
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	CHECK_EQ(regs.pc, CODE + 9);
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_REGISTER);
}

TEST(rbx_is_followed_to_where_lazy_binding_needs_it)
{
	struct unwind_rule rules[] = { { .kind = UNWIND_SP,
					 .cfa = 24,
					 .ra_where = UNWIND_AT_CFA << 4,
					 .where = UNWIND_AT_CFA << 4,
					 .ra = -8,
					 .extra = -24 },
				       { .kind = UNWIND_EXTRA,
					 .cfa = 24,
					 .ra_where = UNWIND_AT_CFA << 4,
					 .ra = -8 },
				       end };
	struct unwind_walker w = walker(EM_X86_64);
	uint64_t pcs[8];

	use_rules(rules, 3, EM_X86_64);
	words[0] = STACK + 0x100;
	words[2] = CODE + 0x120;
	words[0x100 / 8 + 2] = CODE + 0x220;
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).reason, UNWIND_COMPLETE);
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).count, 3);
}

TEST(pointer_authentication_is_stripped)
{
	struct unwind_rule rules[] = { { .kind = UNWIND_SP,
					 .cfa = 16,
					 .ra_where = UNWIND_AT_CFA << 4,
					 .where = UNWIND_AT_CFA | UNWIND_LOST
									  << 4,
					 .ra = -8,
					 .fp = -16 },
				       end };
	struct unwind_walker w = walker(EM_AARCH64);
	uint64_t pcs[8];

	use_rules(rules, 2, EM_AARCH64);
	words[1] = UINT64_C(0x005a000000000000) | (CODE + 0x104);
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).reason, UNWIND_COMPLETE);
	CHECK_EQ(pcs[1], CODE + 0x103);
}

TEST(only_interrupted_code_returns_through_the_link_register)
{
	struct unwind_rule rules[] = { { .kind = UNWIND_SP,
					 .ra_where = UNWIND_SAME << 4,
					 .where = UNWIND_LOST << 4 } };
	struct unwind_walker w = walker(EM_AARCH64);
	struct unwind_regs regs = start(CODE);
	uint64_t pcs[8];

	use_rules(rules, 1, EM_AARCH64);
	regs.extra = CODE + 0x20;
	struct unwind_result r = unwind_walk(&w, regs, pcs, 8);

	CHECK_EQ(r.count, 2);
	CHECK_EQ(r.reason, UNWIND_STUCK);
}

TEST(code_without_rules_is_walked_by_frame_pointer)
{
	struct unwind_rule rules[] = { end };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs = start(CODE + 0x400);
	uint64_t pcs[8];

	use_rules(rules, 1, EM_X86_64);
	regs.fp = STACK + 64;
	words[8] = 0;
	words[9] = CODE + 0x50;
	put_call(0x50);
	struct unwind_result r = unwind_walk(&w, regs, pcs, 8);

	CHECK_EQ(r.count, 2);
	CHECK_EQ(r.reason, UNWIND_COMPLETE);
	CHECK_EQ(r.guessed, 1);
	/* What does not follow a call is no return address. */
	code[0x50 - 2] = 0x90;
	CHECK_EQ(unwind_walk(&w, regs, pcs, 8).reason, UNWIND_NO_RULE);
}

TEST(prologues_without_rules_are_read)
{
	struct unwind_rule rules[] = { end };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs;
	bool guessed;

	use_rules(rules, 1, EM_X86_64);
	words[0] = CODE + 0x20;
	words[1] = CODE + 0x30;
	put_call(0x20);
	put_call(0x30);
	code[0x400] = 0x55;
	code[0x401] = 0x48;
	code[0x402] = 0x89;
	code[0x403] = 0xe5;
	regs = start(CODE + 0x400);
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	CHECK_EQ(regs.pc, CODE + 0x20);
	regs = start(CODE + 0x401);
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	CHECK_EQ(regs.pc, CODE + 0x30);
	CHECK_EQ(regs.fp, CODE + 0x20);
	CHECK(guessed);
}

TEST(an_instruction_of_prologues_elsewhere_is_no_prologue)
{
	static const uint8_t sub_8_rsp[] = { 0x48, 0x83, 0xec, 0x08 };
	struct unwind_rule rules[] = { end };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs = start(CODE + 0x400);
	bool guessed;

	use_rules(rules, 1, EM_X86_64);
	memcpy(code + 0x400, sub_8_rsp, sizeof(sub_8_rsp));
	put_call(0x20);
	words[0] = 0x22;	  /* pushed before, and no address */
	words[1] = STACK + 0x100; /* the caller's frame pointer */
	words[2] = CODE + 0x20;
	regs.fp = STACK + 8;
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	CHECK_EQ(regs.pc, CODE + 0x20);
	CHECK_EQ(regs.fp, STACK + 0x100);
}

TEST(a_trampoline_without_rules_is_known_by_its_code)
{
	static const uint8_t bytes[] = { 0x48, 0xc7, 0xc0, 0x0f, 0,
					 0,    0,    0x0f, 0x05 };
	struct unwind_rule rules[] = { end };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs = start(CODE + 0x400);
	bool guessed;

	use_rules(rules, 1, EM_X86_64);
	memcpy(code + 0x400, bytes, sizeof(bytes));
	words[168 / 8] = CODE + 5;
	words[160 / 8] = STACK + 0x200;
	regs.exact = false;
	CHECK_EQ(unwind_step(&w, &regs, &guessed), UNWIND_GOING);
	CHECK_EQ(regs.pc, CODE + 5);
	CHECK(regs.exact);
	CHECK(!guessed);
}

TEST(the_caller_of_a_stack_switch_is_found_on_the_stack_it_left)
{
	struct unwind_rule rules[] = { { .kind = UNWIND_SWITCH,
					 .cfa = 8,
					 .ra_where = UNWIND_AT_CFA << 4,
					 .ra = -8 },
				       { .kind = UNWIND_SP,
					 .cfa = 0x30,
					 .ra_where = UNWIND_AT_CFA << 4,
					 .where = UNWIND_AT_CFA,
					 .ra = -8,
					 .fp = -16 },
				       end };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_regs regs = start(CODE + 0x10);
	uint64_t pcs[8];

	use_rules(rules, 3, EM_X86_64);
	regs.exact = false;
	regs.sp = STACK + 0x400; /* the system stack, above by chance */
	regs.fp = STACK + 0x100; /* the frame of the function that asked */
	words[0x108 / 8] = CODE + 0x220; /* and its return address */
	words[0x0f0 / 8] = CODE + 0x120; /* looks right, but is not */
	words[0x0d8 / 8] = CODE + 0x130; /* 0x30 below the CFA: is */
	struct unwind_result r = unwind_walk(&w, regs, pcs, 8);

	CHECK_EQ(r.count, 3);
	CHECK_EQ(pcs[1], CODE + 0x12f);
	CHECK_EQ(pcs[2], CODE + 0x21f);
	CHECK_EQ(r.reason, UNWIND_COMPLETE);
}

TEST(a_cache_gives_the_same_answers_and_forgets_other_maps)
{
	struct unwind_rule rules[] = { sp_16, end };
	struct unwind_walker w = walker(EM_X86_64);
	struct unwind_slot slots[2] = { 0 };
	struct unwind_cache cache;
	uint64_t pcs[8];

	use_rules(rules, 2, EM_X86_64);
	unwind_cache_init(&cache, slots, sizeof(slots));
	w.cache = &cache;
	words[1] = CODE + 0x120;
	for (unsigned i = 0; i < 4; i++) {
		struct unwind_result r = unwind_walk(&w, start(CODE), pcs, 8);

		CHECK_EQ(r.count, 2);
		CHECK_EQ(r.reason, UNWIND_COMPLETE);
	}
	CHECK(cache.hits > 0);
	map.generation++;
	module.table = NULL;
	CHECK_EQ(unwind_walk(&w, start(CODE), pcs, 8).reason, UNWIND_NO_RULE);
}

TEST(every_reason_has_words)
{
	for (unsigned i = 0; i < UNWIND_REASONS; i++)
		CHECK(*unwind_reason_text(i));
	CHECK_STR(unwind_reason_text(UNWIND_REASONS), "unknown");
}

/* SPDX-License-Identifier: MIT */
/*
 * What can be said about a frame when no table covers its code.
 */
#include "unwind/guess.h"

#include <elf.h>

/* Where Linux puts the interrupted registers, seen from the trampoline. */
enum {
	X86_SAVED_RBP = 120,
	X86_SAVED_RBX = 128,
	X86_SAVED_RSP = 160,
	X86_SAVED_RIP = 168,
	ARM_SAVED_X29 = 544,
	ARM_SAVED_X30 = 552,
	ARM_SAVED_SP = 560,
	ARM_SAVED_PC = 568,
};

static const struct unwind_rule signal_x86 = {
	.kind = UNWIND_SP_DEREF,
	.ra_where = UNWIND_AT_SP << 4 | UNWIND_SIGNAL,
	.where = UNWIND_AT_SP | UNWIND_AT_SP << 4,
	.cfa = X86_SAVED_RSP,
	.ra = X86_SAVED_RIP,
	.fp = X86_SAVED_RBP,
	.extra = X86_SAVED_RBX,
};

static const struct unwind_rule signal_aarch64 = {
	.kind = UNWIND_SP_DEREF,
	.ra_where = UNWIND_AT_SP << 4 | UNWIND_SIGNAL,
	.where = UNWIND_AT_SP | UNWIND_AT_SP << 4,
	.cfa = ARM_SAVED_SP,
	.ra = ARM_SAVED_PC,
	.fp = ARM_SAVED_X29,
	.extra = ARM_SAVED_X30,
};

/* Between entry and the end of a prologue, and at a return, of x86-64. */
static const struct unwind_rule at_entry_x86 = {
	.kind = UNWIND_SP,
	.ra_where = UNWIND_AT_CFA << 4,
	.cfa = 8,
	.ra = -8,
};

static const struct unwind_rule pushed_x86 = {
	.kind = UNWIND_SP,
	.ra_where = UNWIND_AT_CFA << 4,
	.where = UNWIND_AT_CFA,
	.cfa = 16,
	.ra = -8,
	.fp = -16,
};

/* The return address of aarch64 is in the link register before a prologue. */
static const struct unwind_rule at_entry_aarch64 = {
	.kind = UNWIND_SP,
	.ra_where = UNWIND_SAME << 4,
	.where = UNWIND_SAME | UNWIND_LOST << 4,
};

/* Instructions by their first bytes, as a little-endian number. */
struct pattern {
	uint64_t mask;
	uint64_t bytes;
	const struct unwind_rule *rule;
};

static const struct pattern patterns_x86[] = {
	/* push %rbp; endbr64 and push %rbp; ret */
	{ 0xff, 0x55, &at_entry_x86 },
	{ 0xffffffffff, 0x55fa1e0ff3, &at_entry_x86 },
	{ 0xff, 0xc3, &at_entry_x86 },
	/* mov %rsp,%rbp in both encodings */
	{ 0xffffff, 0xe58948, &pushed_x86 },
	{ 0xffffff, 0xec8b48, &pushed_x86 },
	{ 0 },
};

static const struct pattern patterns_aarch64[] = {
	/* stp x29,x30,[sp,#-N]!; paciasp; bti c; ret */
	{ 0xffc07fff, 0xa9807bfd, &at_entry_aarch64 },
	{ 0xffffffff, 0xd503233f, &at_entry_aarch64 },
	{ 0xffffffff, 0xd503245f, &at_entry_aarch64 },
	{ 0xffffffff, 0xd65f03c0, &at_entry_aarch64 },
	{ 0 },
};

/* mov $15,%rax; syscall, of which the last byte is left out */
static const uint64_t trampoline_x86 = 0x0f0000000fc0c748;
/* mov x8,#139; svc #0 */
static const uint64_t trampoline_aarch64 = 0xd4000001d2801168;

struct unwind_rule unwind_signal_rule(uint16_t machine)
{
	return machine == EM_X86_64 ? signal_x86 : signal_aarch64;
}

static const struct unwind_rule *known_code(const struct unwind_walker *w,
					    const struct unwind_regs *regs)
{
	bool x86 = w->machine == EM_X86_64;
	const struct pattern *p = x86 ? patterns_x86 : patterns_aarch64;
	uint64_t code;

	if (!unwind_read(&w->memory, regs->pc, &code))
		return NULL;
	if (code == (x86 ? trampoline_x86 : trampoline_aarch64))
		return x86 ? &signal_x86 : &signal_aarch64;
	for (; regs->exact && p->rule; p++)
		if ((code & p->mask) == p->bytes)
			return p->rule;
	return NULL;
}

enum unwind_reason unwind_guess(const struct unwind_walker *w,
				struct unwind_regs *regs, bool *guessed)
{
	const struct unwind_rule *rule = known_code(w, regs);

	*guessed = !rule || !(rule->ra_where & UNWIND_SIGNAL);
	if (rule)
		return unwind_apply(rule, (struct span){ 0 }, &w->memory,
				    w->code_mask, regs);
	return unwind_by_fp(&w->memory, w->code_mask, regs);
}

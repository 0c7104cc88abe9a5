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

/* Calls from farther above than this are not believed. */
enum { LARGE_FUNCTION = 4096 };

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

/* Start files have functions that only keep the stack aligned. */
static const struct unwind_rule aligned_x86 = {
	.kind = UNWIND_SP,
	.ra_where = UNWIND_AT_CFA << 4,
	.cfa = 16,
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
	/* jmp *x(%rip), the stubs that static programs have for routines of
	 * which there are several; with endbr64 or bnd before it */
	{ 0xffff, 0x25ff, &at_entry_x86 },
	{ 0xffffff, 0x25fff2, &at_entry_x86 },
	{ 0xffffffffffff, 0x25fffa1e0ff3, &at_entry_x86 },
	/* sub $8,%rsp; add $8,%rsp and ret */
	{ 0xffffffff, 0x08ec8348, &at_entry_x86 },
	{ 0xffffffffff, 0xc308c48348, &aligned_x86 },
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
	/* the stubs again: adrp x16; ldr x17,[x16,#N]; add x16,x16,#N; br x17
	 */
	{ 0x9f00001f, 0x90000010, &at_entry_aarch64 },
	{ 0xffc003ff, 0xf9400211, &at_entry_aarch64 },
	{ 0xffc003ff, 0x91000210, &at_entry_aarch64 },
	{ 0xffffffff, 0xd61f0220, &at_entry_aarch64 },
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

/* What stands before an address that may be a return address. */
enum before {
	UNREADABLE,
	NO_CALL,
	CALL,
	CALL_HERE, /* a call of the very function that pc is in */
};

/* How long "call *..." is, of which modrm is the second byte. */
static unsigned indirect_length(uint8_t modrm, uint8_t sib)
{
	unsigned mod = modrm >> 6;
	unsigned rm = modrm & 7;
	unsigned length = 2;

	if ((modrm >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return length;
	if (rm == 4)
		length++;
	if (mod == 1)
		length += 1;
	else if (mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5))
		length += 4;
	return length;
}

static enum before before_x86(uint64_t word, uint64_t ra, uint64_t pc)
{
	uint8_t code[8];
	int32_t relative;

	memcpy(code, &word, sizeof(code));
	memcpy(&relative, code + 4, sizeof(relative));
	if (code[3] == 0xe8) {
		uint64_t target = ra + (uint64_t)relative;

		return pc - target < LARGE_FUNCTION ? CALL_HERE : CALL;
	}
	for (unsigned length = 2; length <= 7; length++) {
		const uint8_t *at = code + 8 - length;
		uint8_t sib = length > 2 ? at[2] : 0;

		if (at[0] == 0xff && indirect_length(at[1], sib) == length)
			return CALL;
	}
	return NO_CALL;
}

static enum before before_aarch64(uint64_t word, uint64_t ra, uint64_t pc)
{
	uint32_t code = (uint32_t)(word >> 32);

	if ((code & 0xfc000000) == 0x94000000) {
		/* The distance is in words, and signed. */
		int64_t distance = (int64_t)((uint64_t)code << 38) >> 36;
		uint64_t target = ra - 4 + (uint64_t)distance;

		return pc - target < LARGE_FUNCTION ? CALL_HERE : CALL;
	}
	/* blr, and its variants that authenticate */
	if ((code & 0xfefff000) == 0xd63f0000)
		return CALL;
	return NO_CALL;
}

static enum before look_before(const struct unwind_walker *w, uint64_t ra,
			       uint64_t pc)
{
	uint64_t word;

	ra &= w->code_mask;
	/* Far cheaper than asking for memory that cannot be there. */
	if (ra < 4096)
		return NO_CALL;
	if (!unwind_read(&w->memory, ra - 8, &word))
		return UNREADABLE;
	return w->machine == EM_X86_64 ? before_x86(word, ra, pc)
				       : before_aarch64(word, ra, pc);
}

/* Whether ra may lead back to a caller of the code at pc. */
static bool is_return(const struct unwind_walker *w, uint64_t ra, uint64_t pc)
{
	switch (look_before(w, ra, pc)) {
	case NO_CALL:
		return false;
	case UNREADABLE:
		return unwind_map_module(w->map, (ra & w->code_mask) - 1);
	default:
		return true;
	}
}

/* An instruction of a prologue may stand elsewhere, and lead nowhere. */
static bool is_plausible(const struct unwind_walker *w,
			 const struct unwind_regs *regs,
			 const struct unwind_rule *rule)
{
	uint64_t slot = regs->sp + (uint64_t)rule->cfa + (uint64_t)rule->ra;
	uint64_t ra = regs->extra;

	return (w->machine == EM_X86_64 &&
		!unwind_read(&w->memory, slot, &ra)) ||
	       is_return(w, ra, regs->pc);
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
			return is_plausible(w, regs, p->rule) ? p->rule : NULL;
	return NULL;
}

static enum before look_at_slot(const struct unwind_walker *w, uint64_t slot,
				uint64_t pc)
{
	uint64_t ra;

	if (!unwind_read(&w->memory, slot, &ra))
		return UNREADABLE;
	return look_before(w, ra, pc);
}

/*
 * Interrupted code may have no frame yet, or never: then the return address is
 * where a call leaves it.  at_least says how sure one must be of that call.
 */
static const struct unwind_rule *frameless(const struct unwind_walker *w,
					   const struct unwind_regs *regs,
					   enum before at_least)
{
	if (!regs->exact)
		return NULL;
	if (w->machine != EM_X86_64)
		return look_before(w, regs->extra, regs->pc) >= at_least
			       ? &at_entry_aarch64
			       : NULL;
	if (look_at_slot(w, regs->sp, regs->pc) >= at_least)
		return &at_entry_x86;
	if (look_at_slot(w, regs->sp + 8, regs->pc) >= at_least)
		return &aligned_x86;
	return NULL;
}

static enum unwind_reason by_rule(const struct unwind_walker *w,
				  const struct unwind_rule *rule,
				  struct unwind_regs *regs)
{
	return unwind_apply(rule, (struct span){ 0 }, &w->memory, w->code_mask,
			    regs);
}

enum unwind_reason unwind_guess(const struct unwind_walker *w,
				struct unwind_regs *regs, bool *guessed)
{
	const struct unwind_rule *rule = known_code(w, regs);
	struct unwind_regs caller = *regs;
	enum unwind_reason reason;

	*guessed = !rule || !(rule->ra_where & UNWIND_SIGNAL);
	if (!rule)
		rule = frameless(w, regs, CALL_HERE);
	if (rule)
		return by_rule(w, rule, regs);

	reason = unwind_by_fp(&w->memory, w->code_mask, &caller);
	if (reason == UNWIND_GOING && !is_return(w, caller.pc, regs->pc))
		reason = UNWIND_NO_RULE;
	if (reason == UNWIND_GOING)
		*regs = caller;
	if (reason != UNWIND_NO_RULE)
		return reason;
	rule = frameless(w, regs, CALL);
	return rule ? by_rule(w, rule, regs) : reason;
}

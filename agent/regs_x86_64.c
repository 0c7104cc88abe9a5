/* SPDX-License-Identifier: MIT */
/* x86-64: see regs.h. */
#include <elf.h>
#include <ucontext.h>

#include "agent/regs.h"
#include "base/check.h"
#include "unwind/walk.h"

enum { BX = 3, BP = 6, SP = 7, PC = 16, COUNT = 17 };

/* By DWARF's numbers. */
static const uint8_t saved_at[COUNT] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
	REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
	REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

const uint16_t regs_machine = EM_X86_64;
const uint64_t regs_code_mask = UNWIND_CODE_MASK_X86;

const struct regs_layout regs_layout = { SP, BP, BX, COUNT };

void regs_of(const void *ucontext, uint64_t all[REGS_MAX],
	     struct unwind_regs *ret)
{
	const ucontext_t *uc = ucontext;

	for (unsigned i = 0; i < ARRAY_SIZE(saved_at); i++)
		all[i] = (uint64_t)uc->uc_mcontext.gregs[saved_at[i]];
	regs_again(all, all[PC], ret);
}

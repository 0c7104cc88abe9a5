/* SPDX-License-Identifier: MIT */
/* aarch64: see regs.h.  The kernel's order is DWARF's. */
#include <elf.h>
#include <ucontext.h>

#include "agent/regs.h"
#include "unwind/walk.h"

enum { FP = 29, LR = 30, SP = 31, COUNT = 32 };

const uint16_t regs_machine = EM_AARCH64;
const uint64_t regs_code_mask = UNWIND_CODE_MASK_AARCH64;

const struct regs_layout regs_layout = { SP, FP, LR, COUNT };

void regs_of(const void *ucontext, uint64_t all[REGS_MAX],
	     struct unwind_regs *ret)
{
	const ucontext_t *uc = ucontext;

	for (unsigned i = 0; i < SP; i++)
		all[i] = uc->uc_mcontext.regs[i];
	all[SP] = uc->uc_mcontext.sp;
	regs_again(all, uc->uc_mcontext.pc, ret);
}

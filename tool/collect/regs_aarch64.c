/* SPDX-License-Identifier: MIT */
/* aarch64: see regs.h.  The kernel's order is DWARF's. */
#include <elf.h>

#include "collect/record.h"
#include "collect/regs.h"
#include "unwind/walk.h"

enum { FP = 29, LR = 30, SP = 31, PC = 32, COUNT = 33 };

const uint64_t regs_mask = (1ull << COUNT) - 1;
const unsigned regs_count = COUNT;
const uint16_t regs_machine = EM_AARCH64;
const uint64_t regs_code_mask = UNWIND_CODE_MASK_AARCH64;

void regs_read(struct span words, uint64_t all[REGS_MAX],
	       struct unwind_regs *ret)
{
	for (unsigned i = 0; i < COUNT; i++)
		all[i] = span_word(words, i);
	*ret = (struct unwind_regs){
		.pc = all[PC],
		.sp = all[SP],
		.fp = all[FP],
		.extra = all[LR],
		.all = all,
		.n_all = 32,
		.known = UNWIND_HAS_FP | UNWIND_HAS_EXTRA,
		.exact = true,
	};
}

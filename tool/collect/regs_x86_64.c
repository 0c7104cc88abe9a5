/* SPDX-License-Identifier: MIT */
/* x86-64: see regs.h. */
#include <asm/perf_regs.h>
#include <elf.h>

#include "base/check.h"
#include "collect/record.h"
#include "collect/regs.h"
#include "unwind/walk.h"

/* The order of the bits in the mask is that of the words in a record. */
static const uint8_t dwarf_number[] = {
	[PERF_REG_X86_AX] = 0,
	[PERF_REG_X86_BX] = 3,
	[PERF_REG_X86_CX] = 2,
	[PERF_REG_X86_DX] = 1,
	[PERF_REG_X86_SI] = 4,
	[PERF_REG_X86_DI] = 5,
	[PERF_REG_X86_BP] = 6,
	[PERF_REG_X86_SP] = 7,
	[PERF_REG_X86_IP] = 16,
	/* Behind the gap of flags and segments that are not asked for: */
	[9] = 8,
	9,
	10,
	11,
	12,
	13,
	14,
	15,
};

const uint64_t regs_mask = 0x1ff | 0xffull << PERF_REG_X86_R8;
const unsigned regs_count = ARRAY_SIZE(dwarf_number);
const uint16_t regs_machine = EM_X86_64;
const uint64_t regs_code_mask = UNWIND_CODE_MASK_X86;

void regs_read(struct span words, uint64_t all[REGS_MAX],
	       struct unwind_regs *ret)
{
	for (unsigned i = 0; i < ARRAY_SIZE(dwarf_number); i++)
		all[dwarf_number[i]] = span_word(words, i);
	*ret = (struct unwind_regs){
		.pc = all[16],
		.sp = all[7],
		.fp = all[6],
		.extra = all[3],
		.all = all,
		.n_all = 17,
		.known = UNWIND_HAS_FP | UNWIND_HAS_EXTRA,
		.exact = true,
	};
}

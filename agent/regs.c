/* SPDX-License-Identifier: MIT */
/* See regs.h: what is the same on every machine. */
#include "agent/regs.h"

#include "unwind/step.h"

void regs_again(const uint64_t all[REGS_MAX], uint64_t pc,
		struct unwind_regs *ret)
{
	*ret = (struct unwind_regs){
		.pc = pc,
		.sp = all[regs_layout.sp],
		.fp = all[regs_layout.fp],
		.extra = all[regs_layout.extra],
		.all = all,
		.n_all = regs_layout.count,
		.known = UNWIND_HAS_FP | UNWIND_HAS_EXTRA,
		.exact = true,
	};
}

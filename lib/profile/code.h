/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_CODE_H
#define WICK_PROFILE_CODE_H

#include "profile/profile.h"

/* Whose code runs somewhere, as far as the name of what is mapped tells. */
enum code_kind {
	CODE_PROGRAM, /* also where nothing is known */
	CODE_LIBRARY,
	CODE_KERNEL,
	CODE_JIT,
};

/* The files that stand for the kernel and for code made at run time where a
 * format has no more than a mark for them. */
#define CODE_KERNEL_FILE "[kernel.kallsyms]"
#define CODE_JIT_FILE	 "[JIT]"

enum code_kind mapping_code(const struct profile *p, mapping_id id);

#endif /* WICK_PROFILE_CODE_H */

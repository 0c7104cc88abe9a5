/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_GUESS_H
#define WICK_UNWIND_GUESS_H

#include "unwind/walk.h"

/*
 * A step without a rule: code from a JIT, or built without unwind information.
 * Signal trampolines and prologues are known by their instructions, if code
 * can be read; else there is a frame pointer or there is not.  Sets *guessed
 * when the answer may be wrong.  Safe anywhere.
 */
enum unwind_reason unwind_guess(const struct unwind_walker *w,
				struct unwind_regs *regs, bool *guessed);

/* The rule of the code that the kernel returns through from a signal. */
struct unwind_rule unwind_signal_rule(uint16_t machine);

#endif /* WICK_UNWIND_GUESS_H */

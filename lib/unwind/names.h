/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_NAMES_H
#define WICK_UNWIND_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct unwind_hint;

/*
 * The few functions whose name says more about the stack than any table: where
 * stacks start, change, or were interrupted.  True: it is one of them, and
 * hint has its rule; hint->lo is 0, or -1 if the rule holds from the byte
 * before the function on, where the look-up of a return address lands.
 */
bool unwind_name_hint(const char *name, uint16_t machine,
		      struct unwind_hint *hint);

#endif /* WICK_UNWIND_NAMES_H */

/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_ENCODE_H
#define WICK_UNWIND_ENCODE_H

#include "unwind/program.h"
#include "unwind/rule.h"

/*
 * The rule for the state that run is in.  What a rule cannot say is
 * UNWIND_NONE, so that stepping never follows half of an instruction.  If the
 * kind is UNWIND_EXPR, run->state.expression is what the table has to store,
 * and cfa is the caller's to fill in.
 */
struct unwind_rule rule_encode(const struct cfa_run *run);

#endif /* WICK_UNWIND_ENCODE_H */

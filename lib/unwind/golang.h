/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_GOLANG_H
#define WICK_UNWIND_GOLANG_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/rule.h"

struct build;
struct elf;
struct go_table;
struct piece;
struct pieces;

/*
 * Go's own description of its stack frames, pclntab, which even stripped
 * programs carry: their garbage collector needs it.  Understood from Go 1.18
 * on; before, and where it is damaged, there is .debug_frame or nothing.
 * False: the object has none.
 */
bool go_open(const struct elf *elf, struct go_table *go);

/* The functions it describes, and the rows of one of them. */
void go_index(struct build *b, uint32_t input, struct pieces *list);
void go_rows(struct build *b, const struct piece *p);

/* The rule of runtime functions that leave the goroutine's stack. */
struct unwind_rule go_switch_rule(uint16_t machine);

#endif /* WICK_UNWIND_GOLANG_H */

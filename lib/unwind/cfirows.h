/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_CFIROWS_H
#define WICK_UNWIND_CFIROWS_H

#include <stdint.h>

struct build;
struct piece;
struct pieces;

/*
 * Call frame information as a source of rows: lists the functions that section
 * number i of the build's source describes, and turns one of them into rows.
 */
void cfi_index(struct build *b, unsigned i, struct pieces *list);
void cfi_rows(struct build *b, unsigned i, const struct piece *p);

#endif /* WICK_UNWIND_CFIROWS_H */

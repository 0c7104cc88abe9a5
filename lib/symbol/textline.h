/* SPDX-License-Identifier: MIT */
/*
 * The kernel's and the compilers' tables that are text: lines of fields, most
 * of them hexadecimal numbers.
 */
#ifndef WICK_SYMBOL_TEXTLINE_H
#define WICK_SYMBOL_TEXTLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/* Takes the next line, without its end; false after the last. */
bool textline_next(struct reader *r, struct span *line);

/*
 * Takes a hexadecimal number, with or without "0x", and the character end
 * behind it from the front of s; false, and s is of no use, if it is not that.
 */
bool textline_hex(struct span *s, char end, uint64_t *value);

#endif /* WICK_SYMBOL_TEXTLINE_H */
